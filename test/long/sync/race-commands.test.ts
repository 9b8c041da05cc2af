import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { startSandbox } from "../../../sandbox/index.js";
import { openJobFolder } from "../../helpers/command/job-folder.js";
import { eachTest } from "../../helpers/each-test.js";
import { auditLake, connectedLinks, rowsOf, withLake } from "../../helpers/lake/lake-audit.js";
import { endProcess, serversOn } from "../../helpers/temporal/processes.js";

const PAGES = { operation: "sync_transactions" };

const sandbox = eachTest(() =>
  startSandbox({ population: { kind: "synthetic", users: 2, linksPerUser: 3, rows: 600, seed: 11 } }),
);
const folder = eachTest(() =>
  openJobFolder(sandbox, {
    NIGHTLEDGER_ENCRYPTION_KEYS: `test:${Buffer.alloc(32, 7).toString("base64")}`,
    NIGHTLEDGER_API_CONCURRENCY: "4",
  }),
);
const otherHome = () => join(folder.directory, "other-home");
afterEach(async () => {
  for (const server of serversOn(join(otherHome(), "temporal.db"))) await endProcess(server);
});

// They know nothing of each other: each has a HOME, a Temporal server and a worker of its own.
test("two commands of two machines read one roster into one lake at once: no row is doubled", async () => {
  const sizes = ["20", "30"] as const;
  const asked = () => new Set(sandbox.requests(PAGES).map(({ query }) => query.size));
  const release = sandbox.hold(PAGES);
  const command = (size: string, env: Readonly<Record<string, string>>) =>
    folder.command(["sync", "--roster", "users.csv", "--json", "--page-size", size], env);
  const commands = [command(sizes[0], {}), command(sizes[1], { NIGHTLEDGER_HOME: otherHome() })];
  // Both know their links before either commits.
  await expect.poll(() => sizes.every((size) => asked().has(size)), { interval: 20 }).toBe(true);
  release();
  const ends = await Promise.all(commands.map(({ ended }) => ended));
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
});
