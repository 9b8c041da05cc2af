import { afterAll, afterEach, expect, test } from "vitest";
import { type Sandbox, startSandbox } from "../../../../sandbox/index.js";
import type { SyncSummary } from "../../../../src/domain/sync/sync-summary.js";
import { openClusterFolder } from "../../../helpers/command/cluster-folder.js";
import { runHere } from "../../../helpers/command/command-here.js";
import type { JobFolder } from "../../../helpers/command/job-folder.js";
import { created, updated } from "../../../helpers/sync/scripted-links.js";
import { sharedTemporal } from "../../../helpers/temporal/shared-temporal.js";

const temporal = sharedTemporal();
afterAll(() => temporal.stop());

const releases: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const release of releases.splice(0).reverse()) await release();
});

/** A night's exit code, summary and words. */
async function night(folder: JobFolder, ...flags: string[]) {
  const { code, stdout, stderr } = await runHere(folder, [
    "sync",
    "--roster",
    "users.csv",
    "--json",
    ...flags,
  ]);
  return { code, stderr, summary: JSON.parse(stdout) as SyncSummary & { readonly fail_on?: unknown } };
}

async function printed(folder: JobFolder, ...args: string[]) {
  const { code, stdout, stderr } = await runHere(folder, args);
  expect(code, stderr).toBe(0);
  return stdout;
}

/** A link with a good and a bad row, and one that has expired. */
async function openBadLink(): Promise<{ sandbox: Sandbox; folder: JobFolder }> {
  const sandbox = await startSandbox();
  releases.push(() => sandbox.close());
  sandbox.addLink({ fp_id: "fp_1", id: "a" });
  sandbox.append("a", [created("good"), created("bad", { amount: "1e3" })]);
  const fields = { state: "error", error_code: "auth_expired" };
  sandbox.addLink({ fp_id: "fp_1", id: "expired", fields });
  const folder = await openClusterFolder(sandbox, temporal);
  releases.push(() => folder.release());
  return { sandbox, folder };
}

test("a bad row is red until it is good: a bad night, a quiet one, one with --fail-on, and the one that fixes it", async () => {
  const { sandbox, folder } = await openBadLink();
  const bad = await night(folder);
  expect([bad.code, bad.summary.status]).toEqual([1, "completed_with_failures"]);
  expect(bad.summary).toMatchObject({
    quarantine: { new: 1, open: 1 },
    skipped: { by_reason: { "state error auth_expired": 1 } },
    links: { synced: 1, skipped: 1 },
    rows: { quarantined: 1 },
  });

  const quiet = await night(folder);
  expect(quiet.code, quiet.stderr).toBe(0);
  expect(quiet.summary).toMatchObject({ status: "completed", quarantine: { new: 0, open: 1 } });
  expect(quiet.summary).not.toHaveProperty("fail_on");

  const judged = await night(folder, "--fail-on", "quarantine,skipped,stale>1s");
  expect(judged.code).toBe(1);
  expect(judged.summary).toMatchObject({
    status: "completed",
    fail_on: [
      { rule: "quarantine", count: 1, owners: ["a"] },
      // The other link was read to its end in this night, perhaps more than a second ago.
      { rule: "stale>1s", owners: expect.arrayContaining(["expired"]) },
      { rule: "skipped", count: 1, owners: ["expired"] },
    ],
  });
  expect(judged.stderr).toContain("exit 1 by --fail-on quarantine: 1 open row (a)\n");
  expect(judged.stderr).toContain("exit 1 by --fail-on skipped: 1 link (expired)\n");
  const open = await printed(folder, "query", "--json", "select link_id, reason from quarantine_open");
  expect(JSON.parse(open)).toEqual([{ link_id: "a", reason: expect.stringMatching(/^amount: /) }]);
  expect(await printed(folder, "quarantine", "list")).toMatch(
    /^\w{12} {2}a {2}bad\n {6}amount: .*\n1 open\n$/s,
  );

  sandbox.append("a", [updated("bad", { amount: "1000.00" })]);
  const good = await night(folder, "--fail-on", "quarantine");
  expect(good.code, good.stderr).toBe(0);
  expect(good.summary).toMatchObject({ quarantine: { new: 0, open: 0 }, fail_on: [] });
  const runs = await printed(
    folder,
    "query",
    "--json",
    "select quarantine_open from runs order by started_at",
  );
  expect(JSON.parse(runs)).toEqual([1, 1, 1, 0].map((quarantine_open) => ({ quarantine_open })));
  const closed = await printed(folder, "quarantine", "list", "--all");
  expect(closed).toContain("closed by a later change of the transaction\n");
  const amount = "select amount from transactions where transaction_id = 'bad'";
  expect(JSON.parse(await printed(folder, "query", "--json", amount))).toEqual([
    { amount: "1000.0000000000" },
  ]);
});

test("an update of bad rows alone moves no cursor: each night reads them again and fails, they are open once, and a good row takes them along", async () => {
  const { sandbox, folder } = await openBadLink();
  await night(folder);
  const change = { change: "created", raw: '{"transaction_id":"odd"}', id: "odd" } as const;
  sandbox.append("a", [change, created("worse", { amount: "" })]);
  for (let tries = 0; tries < 2; tries += 1) {
    const { code, summary } = await night(folder);
    expect([code, summary.links.failed, summary.failures[0]?.reason]).toEqual([1, 1, "every_row_bad 2"]);
    expect(summary.quarantine.open).toBe(3);
  }
  sandbox.append("a", [created("well")]);
  const { summary } = await night(folder);
  expect(summary).toMatchObject({ links: { synced: 1, failed: 0 }, quarantine: { new: 2, open: 3 } });
  expect((await night(folder)).summary.links).toMatchObject({ unchanged: 1, failed: 0 });
});

test("a bad row is closed by a full reading without it, and for a reason", async () => {
  const { sandbox, folder } = await openBadLink();
  sandbox.append("a", [{ change: "created", raw: "17", id: "unreadable" }]);
  expect((await night(folder)).summary.quarantine).toEqual({ new: 2, open: 2 });
  const again = await night(folder, "--full");
  expect([again.code, again.summary.quarantine]).toEqual([1, { new: 2, open: 2 }]);
  const listed = await printed(folder, "quarantine", "list", "--json");
  const [row] = JSON.parse(listed).items as { readonly row_id: string }[];
  const resolved = await printed(
    folder,
    "quarantine",
    "resolve",
    "--row",
    row?.row_id ?? "",
    "--reason",
    "a test row",
  );
  expect(resolved).toMatch(/1 closed, 1 open\n$/);
  const rest = await night(folder, "--fail-on", "quarantine");
  expect([rest.code, rest.summary.quarantine]).toEqual([1, { new: 0, open: 1 }]);
});
