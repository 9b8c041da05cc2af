import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { stringify } from "yaml";
import { startSandbox } from "../../../sandbox/index.js";
import { openJobFolder } from "../../helpers/command/job-folder.js";
import { eachTest } from "../../helpers/each-test.js";
import { HOOK_SECRET, startHookReceiver } from "../../helpers/hooks/hook-receiver.js";

const sandbox = eachTest(() =>
  startSandbox({ population: { kind: "synthetic", users: 1, linksPerUser: 2, rows: 20 } }),
);
const folder = eachTest(() => openJobFolder(sandbox, { NIGHTLEDGER_HOOK_SECRET: HOOK_SECRET }));
const receiver = eachTest(startHookReceiver);
beforeEach(async () => {
  const hooks = [
    { on: ["failed", "recovered"], webhook: receiver.url },
    { on: ["completed"], command: "sleep 1; echo $NIGHTLEDGER_RUN_ID >told" },
  ];
  await writeFile(join(folder.directory, "nightledger.yaml"), stringify({ hooks }));
});

test("a sync without `dev` calls its hooks before its command ends, and `dev` tries again what is left", async () => {
  // After the call by which the command finds that the service answers.
  const fault = sandbox.addFault({ kind: "status", status: 401, after: 1 });
  expect((await folder.sync().ended).code).toBe(4);
  expect(receiver.taken()).toEqual(["failed"]);
  expect(receiver.requests[0]?.isSigned).toBe(true);
  sandbox.removeFault(fault);
  // So many refusals that the command does not wait for the last.
  receiver.refuse(...Array<number>(5).fill(503));
  const { code, stdout, stderr } = await folder.sync("--json").ended;
  expect(code, stderr).toBe(0);
  const { run_id } = JSON.parse(stdout);
  expect(await readFile(join(folder.directory, "told"), "utf8")).toBe(`${run_id}\n`);
  expect(stderr).toMatch(
    /a hook was not told yet that sync-\S+ is recovered \(the webhook at http\S+ answered 503\); while a worker runs, it is tried for a day/,
  );
  const dev = folder.command(["dev"]);
  await expect.poll(() => receiver.taken(), { timeout: 120_000 }).toEqual(["failed", "recovered"]);
  await dev.end("SIGTERM");
});
