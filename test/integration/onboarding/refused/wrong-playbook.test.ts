import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, expect, test } from "vitest";
import { type Sandbox, startSandbox } from "../../../../sandbox/index.js";
import { openClusterFolder } from "../../../helpers/command/cluster-folder.js";
import { runHere } from "../../../helpers/command/command-here.js";
import type { JobFolder } from "../../../helpers/command/job-folder.js";
import { holding } from "../../../helpers/onboarding/planted-texts.js";
import { sharedTemporal } from "../../../helpers/temporal/shared-temporal.js";

const ROWS = 30;
const SAID = 'body: field "key": no such playbook';
const PLANTED = ["Zoë-PLANTED", "planted.person@example.com"];

const temporal = sharedTemporal();
afterAll(() => temporal.stop());

let sandbox: Sandbox;
let folder: JobFolder;
beforeEach(async () => {
  sandbox = await startSandbox({ playbooks: [{ key: "pb_kyc", outcomes: { pass: 1 } }] });
  folder = await openClusterFolder(sandbox, temporal);
  const lines = Array.from({ length: ROWS }, (_, at) => {
    sandbox.addUser({ fp_id: `fp_${at + 1}` });
    return `fp_${at + 1},${PLANTED.join(",")}`;
  });
  await writeFile(
    join(folder.directory, "customers.csv"),
    ["fp_id,data.name,data.mail", ...lines, ""].join("\n"),
  );
});
afterEach(async () => {
  await folder?.release();
  await sandbox?.close();
});

const onboard = (playbook: string, ...more: string[]) =>
  runHere(folder, [
    "onboard",
    ...["--customers", "customers.csv", "--playbook", playbook, "--mode", "sync"],
    ...more,
  ]);
const rows = async (sql: string) => JSON.parse((await runHere(folder, ["query", sql, "--json"])).stdout);
const batchIn = (text: string) => /onb_[0-9a-f]{24}/.exec(text)?.[0] ?? "none";

test("a wrong playbook: the service's words once for all rows, and the way to a new batch", async () => {
  const { code, stdout, stderr } = await onboard("pb_wrong", "--window", String(ROWS));
  expect(code).toBe(1);
  expect(stdout).toContain(`refused   ${ROWS} × 400: ${SAID}\n`);
  expect(stdout).toContain("status    completed_with_failures");
  // All rows were under way: nothing was left to be paused.
  expect(stderr).not.toMatch(/paused|stands still/);
  expect(stderr).toContain("nightledger onboard with the right one");
  expect(
    await rows("select distinct status, error_class, error_message, next_action from onboardings"),
  ).toEqual([
    {
      status: "failed",
      error_class: "RejectedError",
      error_message: `create_onboarding: the service refused the request (status 400); it said: ${SAID}. Sent again it will be refused again`,
      next_action:
        "correct what error_message says: the playbook or the file in a new batch, anything else at the service, then runs retry",
    },
  ]);
  const right = await onboard("pb_kyc", "--json");
  expect(right.code).toBe(0);
  expect(JSON.parse(right.stdout)).toMatchObject({ customers: { pass: ROWS }, refusals: [] });
});

test("a paused batch never says completed; cancelled, it ends as that", async () => {
  const paused = await onboard("pb_wrong", "--window", "1", "--circuit", "5");
  expect(paused.code).toBe(1);
  const said = paused.stdout + paused.stderr;
  expect(said).toContain("status    paused");
  expect(said).toContain(`refused   5 × 400: ${SAID}\n`);
  expect(said).toContain(`paused: 5 customers in a row ended with the same error (400: ${SAID})`);
  expect(said).not.toContain("completed");
  const batch = batchIn(said);
  expect(said).toContain(`nightledger runs cancel ${batch}`);
  const again = await onboard("pb_wrong", "--window", "1", "--circuit", "5", "--json");
  expect(again.code).toBe(1);
  expect(JSON.parse(again.stdout)).toMatchObject({
    status: "paused",
    customers: { failed: 5, queued: ROWS - 5 },
    refusals: [{ count: 5, status: 400, message: SAID }],
  });
  const cancelled = await runHere(folder, ["runs", "cancel", batch]);
  expect(cancelled.code).toBe(1);
  expect(cancelled.stdout).toContain("status    cancelled");
  expect(cancelled.stdout + cancelled.stderr).not.toMatch(/completed|paused|stands still/);
});

test("what a refusal quotes of its row is nowhere: neither in the summary nor in the lake", async () => {
  const body = JSON.stringify({
    error: { message: `${PLANTED.join(" / ").toUpperCase()} is unknown` },
  });
  sandbox.addFault({ kind: "status", status: 422, body, operation: "create_onboarding" });
  const { stdout, stderr } = await onboard("pb_kyc", "--window", String(ROWS));
  expect(stdout).toContain(`refused   ${ROWS} × 422: [value] is unknown\n`);
  for (const planted of PLANTED) expect((stdout + stderr).toLowerCase()).not.toContain(planted.toLowerCase());
  const quoted = PLANTED.map((planted) => planted.toUpperCase());
  expect(await holding(folder.lake, quoted)).toEqual([]);
});
