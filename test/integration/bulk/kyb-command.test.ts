import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Sandbox, startSandbox } from "../../../sandbox/index.js";
import { openClusterFolder } from "../../helpers/command/cluster-folder.js";
import { runHere, sayHere } from "../../helpers/command/command-here.js";
import type { JobFolder } from "../../helpers/command/job-folder.js";
import { sharedTemporal } from "../../helpers/temporal/shared-temporal.js";

let sandbox: Sandbox;
let folder: JobFolder;
beforeEach(async () => {
  sandbox = await startSandbox({ businesses: 5, businessOnboardings: 2, clock: { frozen: true } });
  folder = await openClusterFolder(sandbox, sharedTemporal());
});
afterEach(async () => {
  await folder?.release();
  await sandbox?.close();
});

const run = (...args: string[]) => sayHere(folder, ...args);

test("export kyb is a command, and its run is shown and listed", async () => {
  sandbox.businesses.add({ fp_bid: "fp_bid_new" });
  const ids = sandbox.businesses.list().map(({ id }) => id);
  await writeFile(join(folder.directory, "businesses.csv"), `${["fp_bid", ...ids].join("\n")}\n`);
  const { code, said } = await run("export", "kyb", "--businesses", "businesses.csv");
  expect({ code, said }).toMatchObject({
    code: 0,
    said: { job: "kyb", status: "completed", rows: { total: 6, skipped: 1 } },
  });
  const skipped = { status: "skipped", reason: "no_onboarding", count: 1, examples: ["fp_bid_new"] };
  const shown = await run("runs", "show", said.run_id);
  expect(shown.said).toMatchObject({ run_id: said.run_id, kind: "kyb", findings: [skipped] });
  const { stdout } = await runHere(folder, ["runs", "show", said.run_id]);
  expect(stdout).toContain("counts    6 businesses, 1 skipped\n");
  const listed = await run("runs", "list");
  expect(JSON.stringify(listed.said)).toContain(said.run_id);
});
