import { hash } from "node:crypto";
import { newestVersions } from "../../delta/delta-log.js";
import { commitKey } from "../../delta/delta-path.js";
import { columnsOf, type TableSpec } from "../../delta/delta-schema.js";
import { isCurrent } from "../../history/history-spec.js";
import { type LakeReader, readTables } from "../../query/query-views.js";
import {
  checkpointsSha256,
  knownRoot,
  LinesSha256,
  rootOf,
  rootParts,
  rowSha256,
} from "../../root/lake-root.js";
import type { SqlRow } from "../../sql/duckdb-session.js";
import { linkSyncs } from "../../tables/link-syncs.js";
import { runs } from "../../tables/runs.js";
import { transactionChanges, transactions } from "../../tables/transactions.js";
import type { Problems } from "../chain-check.js";

/** What {@link checkRoots} finds. */
export type RootReport = Awaited<ReturnType<typeof checkRoots>>;

interface RootedRun {
  readonly run_id: string;
  readonly finished_at: string;
  readonly root: string;
  readonly parts: ReturnType<typeof rootParts>;
}

/**
 * Checks the chain of roots in `runs`, what each says of certificates and commits, and the newest one against the lake.
 * @param asked a root that was kept elsewhere
 */
export async function checkRoots(
  lake: LakeReader,
  tables: readonly TableSpec[],
  problems: Problems,
  asked?: string,
) {
  const say = (run_id: string | null, what: string) =>
    problems.add([{ table: runs.name, link_id: null, run_id, what }]);
  const rows = await readTables(lake, [runs], (sql) => sql.rows("from runs where lake_root is not null"));
  const { metadata } = await lake.table(runs.name).snapshot();
  const newer = newerColumns(metadata?.schemaString);
  const rooted = new Map(rows.map((row) => [String(row.lake_root), rootedRun(row, newer, say)]));
  const chain = chainOf(rooted, rows.length, say);
  const newest = chain[0];
  const uncovered = await checkCertificates(lake, chain, say);
  await checkCommits(lake, chain, tables, say);
  if (newest !== undefined) await checkNewest(lake, newest, tables, say);
  if (knownRoot(await lake.table(runs.name).snapshot()) !== (newest?.root ?? null)) {
    say(newest?.run_id ?? null, "the log of runs names another root as the newest one");
  }
  const at = chain.findIndex(({ root }) => root === asked);
  const kept = at === -1 ? null : { ...told(chain[at] as RootedRun), later: at };
  if (asked !== undefined && kept === null) {
    say(
      null,
      `no run has the root ${asked}: what it was computed for is not in this lake's history, or was written again`,
    );
  }
  return {
    roots: chain.length,
    root: newest?.root ?? null,
    /** Runs whose certificates no root covers: they have not ended, or were terminated. */
    uncovered,
    /** Left out if none was asked for; null if the lake's history has no such root. */
    ...(asked !== undefined && { kept }),
  };
}

type Say = (runId: string | null, what: string) => void;

function told({ root, run_id, finished_at }: RootedRun) {
  return { root, run_id, finished_at };
}

/** The columns of `runs` that a newer version has added: this one can't compute the hash of a row that has them. */
function newerColumns(schema: string | undefined): string[] {
  const known = new Set<string>(runs.columns.map(({ name }) => name));
  const there = schema === undefined ? [] : columnsOf(runs.name, schema);
  return there.map(({ name }) => name).filter((name) => !known.has(name));
}

function rootedRun(row: SqlRow, newer: readonly string[], say: Say): RootedRun {
  const [run_id, root, text] = [String(row.run_id), String(row.lake_root), String(row.lake_root_of)];
  const parts = rootParts(text);
  if (rootOf(text) !== root) say(run_id, "its root is not the hash of lake_root_of: one of them was changed");
  else if (parts.row !== rowSha256(row))
    say(
      run_id,
      newer.length === 0
        ? "its row in runs is not the one that its root was made of"
        : `its row can't be compared with its root: runs has columns that this version does not know (${newer.join(", ")}). Prove the lake with the version that wrote them`,
    );
  return { run_id, root, parts, finished_at: String(row.finished_at) };
}

/** Follows the roots from the newest to the first. */
function chainOf(rooted: ReadonlyMap<string, RootedRun>, rows: number, say: Say): RootedRun[] {
  const followed = new Set([...rooted.values()].map(({ parts }) => parts.previous));
  const tips = [...rooted.values()].filter(({ root }) => !followed.has(root));
  const chain: RootedRun[] = [];
  for (let one = tips[0]; one !== undefined; one = rooted.get(one.parts.previous ?? "")) {
    chain.push(one);
    const { previous } = one.parts;
    if (previous !== null && !rooted.has(previous))
      say(one.run_id, `the root before its own, ${previous}, is not in runs`);
  }
  if (chain.length !== rows && tips.length !== 1) {
    say(null, `the roots of ${rows} runs are not one chain: ${tips.length} of them are followed by none`);
  } else if (chain.length !== rows) say(null, `the newest root's chain has ${chain.length} of ${rows} roots`);
  return chain;
}

/** Compares what each run wrote with its root; gives how many runs with certificates have none. */
async function checkCertificates(lake: LakeReader, chain: readonly RootedRun[], say: Say): Promise<number> {
  const wrote = new Map<string, LinesSha256>();
  await readTables(lake, [linkSyncs], async (sql) => {
    const certificates = sql.stream(`select run_id, link_id, certificate from link_syncs
      where certificate is not null order by run_id, link_id, certificate`);
    for await (const some of certificates) {
      for (const { run_id, link_id, certificate } of some) {
        const lines = wrote.get(String(run_id)) ?? new LinesSha256();
        wrote.set(String(run_id), lines);
        lines.add(`${link_id} ${certificate}`);
      }
    }
  });
  for (const { run_id, parts } of chain) {
    if ((wrote.get(run_id) ?? new LinesSha256()).digest() !== parts.certificates) {
      say(run_id, "its certificates in link_syncs are not those that its root was made of");
    }
    wrote.delete(run_id);
  }
  return wrote.size;
}

/** A derived table may be made again, with a log of its own; it is compared with its source instead. */
function isDerived(table: string, tables: readonly TableSpec[]): boolean {
  const derived = [transactions, ...tables.filter(isCurrent)];
  return derived.some(({ name }) => name === table);
}

/** Compares the commits that roots name, the newest first, with those that the tables' logs still have. */
async function checkCommits(
  { store }: LakeReader,
  chain: readonly RootedRun[],
  tables: readonly TableSpec[],
  say: Say,
): Promise<void> {
  const later = new Map<string, number>();
  const there = new Map<string, string | undefined>();
  for (const { run_id, parts } of chain) {
    for (const [table, commit] of parts.tables) {
      const [text = "", sha256 = ""] = commit.split(" ");
      const version = Number(text);
      const key = commitKey(table, version);
      const isBack = version > (later.get(table) ?? version);
      if (isBack && !isDerived(table, tables))
        say(run_id, `${table} was at version ${text}; later roots have older ones`);
      // A derived table that was made again has a log of its own since.
      later.set(table, isBack ? -1 : version);
      if (isBack || sha256 === "") continue;
      if (!there.has(key)) {
        const body = await store.get(key);
        there.set(key, body && hash("sha256", body));
      }
      if ((there.get(key) ?? sha256) !== sha256) {
        say(run_id, `version ${text} of ${table} in its log is not the one that its root was made of`);
      }
    }
  }
}

async function checkNewest(
  lake: LakeReader,
  { run_id, parts }: RootedRun,
  tables: readonly TableSpec[],
  say: Say,
): Promise<void> {
  const named = new Map([...parts.tables].map(([table, commit]) => [table, Number(commit.split(" ")[0])]));
  for (const [table, version] of await newestVersions(lake.store, named)) {
    const then = named.get(table) ?? -1;
    if (version >= then) continue;
    const now = version < 0 ? "is gone" : `is at version ${version}`;
    const again = isDerived(table, tables) ? "; `nightledger materialize` brings it up" : "";
    say(
      run_id,
      `${table} ${now}, but its root says ${then}: an older copy was put back, or versions were deleted${again}`,
    );
  }
  const feed = await lake.table(transactionChanges.name).snapshot();
  const isSame = parts.tables.get(transactionChanges.name)?.startsWith(`${feed.version} `) ?? false;
  if (isSame && checkpointsSha256(feed) !== parts.checkpoints) {
    say(run_id, "the checkpoints of links in the feed's log are not those that its root was made of");
  }
}
