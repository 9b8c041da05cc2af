import { readdir, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { type Sandbox, startSandbox } from "../../../sandbox/index.js";
import type { SyncSummary } from "../../../src/domain/sync/sync-summary.js";
import type { ProcessEnd } from "../../helpers/command/command-process.js";
import { type JobFolder, openJobFolder } from "../../helpers/command/job-folder.js";
import { auditLake } from "../../helpers/lake/lake-audit.js";

const releases: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const release of releases.splice(0).reverse()) await release();
});

const isSync = (name: string) => name.startsWith("sync-");

async function openKilledRun(): Promise<{ sandbox: Sandbox; folder: JobFolder; staging: string }> {
  const sandbox = await startSandbox({
    population: { kind: "synthetic", users: 2, linksPerUser: 2, rows: 40, seed: 4 },
  });
  releases.push(() => sandbox.close());
  const folder = await openJobFolder(sandbox);
  releases.push(() => folder.release());
  const release = sandbox.hold({ operation: "sync_transactions" });
  const asked = sandbox.waitForRequests(1, { operation: "sync_transactions" });
  const killed = folder.sync();
  await asked;
  await killed.end("SIGKILL");
  release();
  const [run] = (await readdir(join(folder.lake, "_staging"))).filter(isSync);
  return { sandbox, folder, staging: join(folder.lake, "_staging", run ?? "none") };
}

const summaryOf = ({ stdout }: ProcessEnd) => JSON.parse(stdout) as SyncSummary;

test("staging deleted under a killed run: the same command ends with that, and the next one starts afresh", async () => {
  const { sandbox, folder, staging } = await openKilledRun();
  await rm(staging, { recursive: true });
  const ended = await folder.sync().ended;
  expect(ended.code, ended.stderr).toBe(1);
  const { failures, run_id } = summaryOf(ended);
  expect(failures[0]?.reason).toMatch(/^StagingLostError: .*is gone from the lake's staging area/);
  const fresh = await folder.sync().ended;
  expect(fresh.code, fresh.stderr).toBe(0);
  expect(summaryOf(fresh).run_id).not.toBe(run_id);
  // Links of a run that gave up are counted in `runs` and have no row in `link_syncs`.
  const found = await auditLake(folder.lake, sandbox);
  expect(
    found.filter((words) => !words.startsWith("runs and link_syncs differ") || !words.includes(run_id)),
  ).toEqual([]);
});

const rows = async (folder: JobFolder) => {
  const asked = await folder.command(["query", "select run_id, status from runs order by run_id", "--json"])
    .ended;
  return asked.stdout;
};

test("runs cancel gives up the run of a killed command; no other one is running then", async () => {
  const { folder, staging } = await openKilledRun();
  const cancelled = await folder.command(["runs", "cancel", basename(staging), "--json"]).ended;
  expect(cancelled.code, cancelled.stderr).toBe(1);
  expect(summaryOf(cancelled)).toMatchObject({ run_id: basename(staging), status: "cancelled" });
  expect(await rows(folder)).toContain("cancelled");
  expect(cancelled.stderr).toContain(`cancelling run ${basename(staging)}`);
  expect(cancelled.stderr).not.toContain("joined run");
  const again = await folder.command(["runs", "cancel", basename(staging)]).ended;
  expect(again.code).toBe(2);
  expect(again.stderr).toContain("is not running, so there is nothing to cancel");
  const retried = await folder.command(["runs", "retry", basename(staging), "--json"]).ended;
  expect(retried.code, retried.stderr).toBe(0);
  expect(summaryOf(retried)).toMatchObject({ status: "completed" });
});
