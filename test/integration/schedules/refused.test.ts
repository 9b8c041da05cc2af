import { writeFile } from "node:fs/promises";
import { beforeAll, expect, test } from "vitest";
import { startSandbox } from "../../../sandbox/index.js";
import { runHere } from "../../helpers/command/command-here.js";
import { openJobFolder } from "../../helpers/command/job-folder.js";
import { eachFile } from "../../helpers/each-test.js";
import { sharedTemporal } from "../../helpers/temporal/shared-temporal.js";
import { clusterEnv } from "../../helpers/temporal/temporal-environment.js";

const FAR = ["--at", "03:00"];
const SYNC = ["sync", "--roster", "users.csv"];

const sandbox = eachFile(() => startSandbox({}));
const folder = eachFile(() => openJobFolder(sandbox, clusterEnv(sharedTemporal())));
beforeAll(async () => {
  await writeFile(folder.roster, "fp_id\nu1\n");
});

test.each([
  [["nightly", "--", ...SYNC], /--at 03:15, --cron .* and --every/],
  [["nightly", "--at", "02:15", "--every", "6h", "--", ...SYNC], /one of --at/],
  [["nightly", ...FAR, "--timezone", "Prague", "--", ...SYNC], /not the name of a time zone/],
  [["nightly", "--cron", "61 2 * * *", "--", ...SYNC], /refuses the times of the schedule/],
  [["nightly", "--cron", "daily please", "--", ...SYNC], /cron expression of five fields/],
  [["a b", ...FAR, "--", ...SYNC], /can't be the name/],
  [
    ["nightly", ...FAR, "--", "demo"],
    /demo is not a job that a schedule can run.*sync, export cip, .*import, .*onboard, maintain/,
  ],
  [["nightly", ...FAR, "--", "sync", "--roster", "gone.csv"], /gone\.csv/],
  [["nightly", ...FAR, "--", ...SYNC, "--pagesize", "3"], /unknown option '--pagesize'/],
  [["nightly", ...FAR, "--", "maintain", "--dry-run"], /--dry-run has no meaning in a schedule/],
  [["nightly", ...FAR, "--", "maintain", "--retain", "6"], /a whole number of days from 7 to 3650/],
  [["nightly", ...FAR, "--", ...SYNC, "--detach"], /--detach has no meaning in a schedule/],
])("schedule create %j is refused, and nothing is created", async (args, words) => {
  const { code, stdout, stderr } = await runHere(folder, ["schedule", "create", ...args]);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toMatch(words);
  const listed = await runHere(folder, ["schedule", "list", "--json"]);
  expect(JSON.parse(listed.stdout), listed.stderr).toEqual({ items: [] });
});
