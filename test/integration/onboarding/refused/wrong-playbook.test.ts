import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeEach, expect, test } from "vitest";
import { startSandbox } from "../../../../sandbox/index.js";
import { openClusterFolder } from "../../../helpers/command/cluster-folder.js";
import { runHere } from "../../../helpers/command/command-here.js";
import { eachTest } from "../../../helpers/each-test.js";
import { sharedTemporal } from "../../../helpers/temporal/shared-temporal.js";

const ROWS = 30;
const SAID = 'body: field "key": no such playbook';

const temporal = sharedTemporal();
afterAll(() => temporal.stop());

const sandbox = eachTest(() => startSandbox({ playbooks: [{ key: "pb_kyc", outcomes: { pass: 1 } }] }));
const folder = eachTest(() => openClusterFolder(sandbox, temporal));
beforeEach(async () => {
  const lines = Array.from({ length: ROWS }, (_, at) => {
    sandbox.addUser({ fp_id: `fp_${at + 1}` });
    return `fp_${at + 1}`;
  });
  await writeFile(join(folder.directory, "customers.csv"), ["fp_id", ...lines, ""].join("\n"));
});

const onboard = (playbook: string, ...more: string[]) =>
  runHere(folder, [
    "onboard",
    ...["--customers", "customers.csv", "--playbook", playbook, "--mode", "sync"],
    ...more,
  ]);
const rows = async (sql: string) => JSON.parse((await runHere(folder, ["query", sql, "--json"])).stdout);

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
