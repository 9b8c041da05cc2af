import { newestVersion, statesOf } from "../../delta/delta-log.js";
import type { DeltaLocation } from "../../delta/delta-path.js";
import type { TableSpec } from "../../delta/delta-schema.js";
import { isCurrent } from "../../history/history-spec.js";
import { type LakeReader, readTables } from "../../query/query-views.js";
import { knownRoot, RunSha256, rootOf, rootParts, stateSha256 } from "../../root/lake-root.js";
import type { SqlRow } from "../../sql/duckdb-session.js";
import { linkSyncs } from "../../tables/link-syncs.js";
import { runs } from "../../tables/runs.js";
import { transactions } from "../../tables/transactions.js";
import type { Problems } from "../chain-check.js";

export type RootReport = Awaited<ReturnType<typeof checkRoots>>;

interface RootedRun {
  readonly run_id: string;
  readonly finished_at: string;
  readonly root: string;
  readonly row: SqlRow;
  readonly parts: ReturnType<typeof rootParts>;
}

/**
 * Checks the chain of roots, and what each tells of its run and of the tables.
 * @param own a root that was kept elsewhere
 */
export async function checkRoots(
  lake: LakeReader,
  tables: readonly TableSpec[],
  problems: Problems,
  own?: string,
) {
  const say = (run_id: string | null, what: string) => problems.say(runs.name, what, run_id);
  const rows = await readTables(lake, [runs], (sql) => sql.rows("from runs where lake_root is not null"));
  const rooted = new Map(rows.map((row) => [String(row.lake_root), rootedRun(row, say)]));
  const chain = chainOf(rooted, rows.length, say);
  const newest = chain[0];
  const uncovered = await checkRuns(lake, [...rooted.values()], say);
  const named = new Set(chain.flatMap(({ parts }) => [...parts.tables.keys()]));
  const { store, duckdb } = lake;
  for (const table of named) {
    await checkTable({ store, duckdb, table }, chain, isDerived(table, tables), say);
  }
  if (knownRoot(await lake.table(runs.name).snapshot()) !== (newest?.root ?? null)) {
    say(newest?.run_id ?? null, "the log of runs names another root as the newest one");
  }
  const at = chain.findIndex(({ root }) => root === own);
  const kept = at === -1 ? null : { ...endOf(chain[at] as RootedRun), later: at };
  if (own !== undefined && kept === null) {
    say(
      null,
      `no run has the root ${own}: what it was computed for is not in this lake's history, or was written again`,
    );
  }
  return {
    roots: chain.length,
    root: newest?.root ?? null,
    /** They have not ended, or were terminated. */
    uncovered,
    /** Null if the lake's history has no such root. */
    ...(own !== undefined && { kept }),
  };
}

type Say = (runId: string | null, what: string) => void;

function endOf({ root, run_id, finished_at }: RootedRun) {
  return { root, run_id, finished_at };
}

function rootedRun(row: SqlRow, say: Say): RootedRun {
  const [run_id, root, text] = [String(row.run_id), String(row.lake_root), String(row.lake_root_of)];
  if (rootOf(text) !== root) say(run_id, "its root is not the hash of lake_root_of: one of them was changed");
  return { run_id, root, row, parts: rootParts(text), finished_at: String(row.finished_at) };
}

/** From the newest to the first. */
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

/** Gives how many runs with certificates have no root. */
async function checkRuns(lake: LakeReader, rooted: readonly RootedRun[], say: Say): Promise<number> {
  const wrote = new Map(rooted.map(({ run_id, row }) => [run_id, new RunSha256(row)]));
  const uncovered = new Set<string>();
  await readTables(lake, [linkSyncs], async (sql) => {
    const certificates = sql.stream(`select run_id, link_id, certificate from link_syncs
      where certificate is not null order by run_id, link_id, certificate`);
    for await (const some of certificates) {
      for (const row of some) {
        const run = wrote.get(String(row.run_id));
        if (run === undefined) uncovered.add(String(row.run_id));
        else run.certificate(row);
      }
    }
  });
  for (const { run_id, parts } of rooted) {
    if (wrote.get(run_id)?.digest() === parts.run) continue;
    say(
      run_id,
      "its row in runs, or its certificates in link_syncs, are not those that its root was made of",
    );
  }
  return uncovered.size;
}

/** It may be made again, with a log of its own; it is compared with its source instead. */
function isDerived(table: string, tables: readonly TableSpec[]): boolean {
  const derived = [transactions, ...tables.filter(isCurrent)];
  return derived.some(({ name }) => name === table);
}

/** The newest root first, as far back as the table's log reaches. */
async function checkTable(
  log: DeltaLocation,
  chain: readonly RootedRun[],
  isMadeAgain: boolean,
  say: Say,
): Promise<void> {
  const { table } = log;
  const named = new Map<number, { readonly run_id: string; readonly sha256: string }[]>();
  const newest = await newestVersion(log);
  let later: number | undefined;
  for (const { run_id, parts } of chain) {
    const [text, sha256 = ""] = parts.tables.get(table)?.split(" ") ?? [];
    if (text === undefined) continue;
    const version = Number(text);
    if (later === undefined && version > newest) {
      const now = newest < 0 ? "is gone" : `is at version ${newest}`;
      const again = isMadeAgain ? "; `nightledger materialize` brings it up" : "";
      say(
        run_id,
        `${table} ${now}, but its root says ${text}: an older copy was put back, or versions were deleted${again}`,
      );
    } else if (later !== undefined && version > later) {
      // It has a log of its own since.
      if (!isMadeAgain) say(run_id, `${table} was at version ${text}; later roots have older ones`);
      break;
    }
    later = version;
    named.set(version, [...(named.get(version) ?? []), { run_id, sha256 }]);
  }
  for await (const state of statesOf(log)) {
    const roots = named.get(state.version) ?? [];
    const found = roots.length > 0 && stateSha256(state);
    for (const { run_id, sha256 } of roots) {
      if (sha256 !== found)
        say(
          run_id,
          `version ${state.version} of ${table} in its log is not the one that its root was made of`,
        );
    }
  }
}
