import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startSandbox } from "../../../sandbox/index.js";
import { endProcess, serversOn } from "../../../src/temporal/server/server-process.js";
import type { ProcessEnd } from "../../helpers/command/command-process.js";
import { openJobFolder } from "../../helpers/command/job-folder.js";
import { eachTest } from "../../helpers/each-test.js";
import { auditLake, connectedLinks, rowsOf, withLake } from "../../helpers/lake/lake-audit.js";

const KEYS = `test:${Buffer.alloc(32, 7).toString("base64")}`;

const PAGES = { operation: "sync_transactions" };

const sandbox = eachTest(() =>
  startSandbox({
    population: { kind: "synthetic", users: 2, linksPerUser: 3, rows: 600, seed: 11 },
  }),
);
const folder = eachTest(() =>
  openJobFolder(sandbox, {
    NIGHTLEDGER_ENCRYPTION_KEYS: KEYS,
    NIGHTLEDGER_API_CONCURRENCY: "4",
  }),
);
let otherHome: string;

beforeEach(async () => {
  otherHome = join(folder.directory, "other-home");
});
afterEach(async () => {
  for (const server of serversOn(join(otherHome, "temporal.db"))) await endProcess(server, 0);
});

/** Two syncs that know nothing of each other: each has a HOME, a Temporal server and a worker of its own. */
function syncElsewhere(...args: string[]) {
  return folder.command(["sync", "--roster", "users.csv", "--json", ...args], {
    NIGHTLEDGER_HOME: otherHome,
  });
}

async function expectExact(ends: readonly ProcessEnd[]): Promise<void> {
  for (const end of ends) expect(end.code, end.stderr).toBe(0);
  expect(await auditLake(folder.lake, sandbox)).toEqual([]);
  await withLake(folder.lake, async (query) => {
    const lost = await rowsOf(
      query,
      `select l.link_id, l.reason, w.run_id as winner from link_syncs l
      join link_syncs w on w.link_id = l.link_id and w.status = 'synced' where l.status = 'superseded'`,
    );
    expect(lost).not.toEqual([]);
    expect(lost.filter(({ reason, winner }) => reason !== winner)).toEqual([]);
    const told = ends.reduce((sum, { stdout }) => sum + JSON.parse(stdout).links.superseded, 0);
    expect(told).toBe(lost.length);
    expect(await rowsOf(query, "select sum(superseded)::int as n from runs")).toEqual([{ n: lost.length }]);
    const synced = await rowsOf(
      query,
      "select link_id, count(*) as n from link_syncs where status = 'synced' group by all",
    );
    expect(synced.map(({ n }) => n)).toEqual(connectedLinks(sandbox).map(() => 1));
    expect(await rowsOf(query, "select run_id from runs")).toHaveLength(2);
  });
}

test("two commands of two machines read one roster into one lake at once: no row is doubled", async () => {
  const sizes = ["20", "30"] as const;
  const asked = () => new Set(sandbox.requests(PAGES).map(({ query }) => query.size));
  const release = sandbox.hold(PAGES);
  const commands = [folder.sync("--page-size", sizes[0]), syncElsewhere("--page-size", sizes[1])];
  // Both know their links before either commits.
  await expect.poll(() => sizes.every((size) => asked().has(size)), { interval: 20 }).toBe(true);
  release();
  await expectExact(await Promise.all(commands.map(({ ended }) => ended)));
});

test("a command that asks for another size of pages joins the run of the same job, and says which size it has", async () => {
  const release = sandbox.hold(PAGES);
  const first = folder.sync("--page-size", "20");
  const [, runId] = await first.says(/^run (sync-[\w-]+)/m);
  const second = folder.sync("--page-size", "30");
  await second.says(new RegExp(`joined run ${runId}`));
  release();
  const ends = await Promise.all([first.ended, second.ended]);
  for (const end of ends) expect(end.code, end.stderr).toBe(0);
  expect(ends[1]?.stderr).toContain(
    "--page-size 30 is not used: the run that this command joined was started with 20",
  );
  expect(new Set(sandbox.requests(PAGES).map(({ query }) => query.size))).toEqual(new Set(["20"]));
});
