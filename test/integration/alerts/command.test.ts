import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Sandbox, startSandbox } from "../../../sandbox/index.js";
import { type AlertReceiver, startAlertReceiver } from "../../helpers/alerts/alert-receiver.js";
import { openClusterFolder } from "../../helpers/command/cluster-folder.js";
import { runHere } from "../../helpers/command/command-here.js";
import type { JobFolder } from "../../helpers/command/job-folder.js";
import { sharedTemporal } from "../../helpers/temporal/shared-temporal.js";

let sandbox: Sandbox;
let folder: JobFolder;
let receiver: AlertReceiver;
beforeEach(async () => {
  sandbox = await startSandbox();
  sandbox.addLink({ fp_id: "u1", id: "l1", accounts: [{ id: "a1" }] });
  folder = await openClusterFolder(sandbox, sharedTemporal());
  receiver = await startAlertReceiver();
  await writeFile(folder.roster, "fp_id\nu1\n");
});
afterEach(async () => {
  await receiver?.close();
  await folder?.release();
  await sandbox?.close();
});

const run = (...args: string[]) => runHere(folder, args);
const check = async (...flags: string[]) => {
  const { code, stdout, stderr } = await run("alerts", "check", "--json", ...flags);
  return { code, stderr, ...JSON.parse(stdout) };
};
const rows = async (sql: string) => {
  const { code, stdout } = await run("query", "--json", sql);
  return code === 0 ? JSON.parse(stdout) : [];
};

test("a check tells a command and a webhook what is new, shows what is open, and tells when it is over", async () => {
  const fault = sandbox.addFault({ kind: "status", status: 400, link: "l1" });
  await writeFile(
    join(folder.directory, "nightledger.yaml"),
    "alerts: { board: 'https://board.example/' }\n",
  );
  expect((await run("sync", "--roster", "users.csv")).code).toBe(1);
  const told = join(folder.directory, "told.jsonl");
  const flags = ["--failed-links", "--max-age", "36h", "--notify-command", `cat >>${told}`];
  const first = await check(...flags, "--notify-webhook", receiver.url);
  expect(first).toMatchObject({
    code: 1,
    open: [{ rule: "failed-links", message: "1 bank link failed when last read; allowed: 0" }],
    raised: [first.open[0].alert_id],
    cleared: [],
    undelivered: 0,
  });
  expect(receiver.taken()).toEqual(["alert.raised"]);
  expect(receiver.requests[0]?.isSigned).toBe(false);
  expect(JSON.parse(await readFile(told, "utf8"))).toEqual(receiver.requests[0]?.body);
  expect(receiver.requests[0]?.body).toMatchObject({
    alert: { link: expect.stringMatching(/^https:\/\/board\.example\/runs\/sync-\w+-\w+$/) },
  });
  expect(await check(...flags)).toMatchObject({ code: 1, raised: [], open: [{}] });
  const shown = await run("alerts", "check", "--failed-links");
  expect(shown).toMatchObject({ code: 1 });
  expect(shown.stdout).toMatch(
    /^open {3}failed-links: 1 bank link failed.*\n {7}since 20.*Z\n {7}nightledger runs show sync-/,
  );
  sandbox.removeFault(fault);
  expect((await run("sync", "--roster", "users.csv")).code).toBe(0);
  expect(await check(...flags)).toMatchObject({ code: 0, open: [], cleared: first.raised, undelivered: 0 });
  const types = (await readFile(told, "utf8"))
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line).type);
  expect(types).toEqual(["alert.raised", "alert.cleared"]);
  expect(receiver.taken()).toEqual(["alert.raised"]);
});

test("a schedule whose roster is gone misses its run, and a run that is still running is too long", async () => {
  const aside = join(folder.directory, "aside.csv");
  await run("schedule", "create", "nightly", "--every", "2s", "--", "sync", "--roster", "users.csv");
  await rename(folder.roster, aside);
  await expect
    .poll(() => check("--run-missing").then(({ open }) => open))
    .toMatchObject([
      { subject: "schedule/nightly", message: expect.stringMatching(/did not begin: .*users\.csv/) },
    ]);
  const release = sandbox.hold({ operation: "sync_transactions" });
  await rename(aside, folder.roster);
  await expect
    .poll(() => check("--run-longer-than", "1s", "--no-failed-run").then(({ open }) => open), {
      timeout: 60_000,
    })
    .toMatchObject([{ subject: "schedule/nightly", message: expect.stringMatching(/has been running for/) }]);
  expect(await check("--run-missing")).toMatchObject({ code: 0, open: [] });
  release();
  await expect
    .poll(() => check("--run-longer-than", "1h", "--no-failed-run").then(({ open }) => open), {
      timeout: 60_000,
    })
    .toEqual([]);
  expect((await run("schedule", "delete", "nightly")).code).toBe(0);
});

test("a schedule checks the rules that it was given", async () => {
  sandbox.addFault({ kind: "status", status: 400, link: "l1" });
  await run("sync", "--roster", "users.csv");
  const create = ["schedule", "create", "watch", "--every", "1s", "--", "alerts", "check"];
  expect((await run(...create, "--failed-links")).code).toBe(0);
  const raised = "select rule, state from alerts";
  await expect.poll(() => rows(raised)).toEqual([{ rule: "failed-links", state: "raised" }]);
  const { stdout } = await run("schedule", "describe", "watch", "--json");
  expect(JSON.parse(stdout)).toMatchObject({ command: "alerts check --failed-links" });
  expect((await check("--run-missing")).code).toBe(0);
  await run("schedule", "delete", "watch");
  expect(await run(...create, "--notify-webhook", receiver.url)).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/--notify-webhook has no meaning in a schedule/),
  });
});

test("without a rule, or with a wrong file, nothing is judged", async () => {
  expect(await run("alerts", "check", "--no-another-subject", "--no-failed-run")).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/no alert rule is given.*--max-age 36h/),
  });
  await writeFile(join(folder.directory, "nightledger.yaml"), "alerts: { max-agee: 36h }");
  expect(await run("sync", "--roster", "users.csv")).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/nightledger\.yaml: has an unknown setting: alerts\.max-agee/),
  });
  await writeFile(join(folder.directory, "nightledger.yaml"), "alerts: { max-age: 36h }");
  expect((await run("alerts", "check")).stdout).toBe("no alert is open\n");
});
