import { rm } from "node:fs/promises";
import { join } from "node:path";
import { FAILURE_TYPES, InputError } from "../../domain/failures.js";
import type { TableSpec } from "../delta/delta-schema.js";
import { NO_TABLE, type Snapshot } from "../delta/delta-snapshot.js";
import { factsOf, holdsLinks } from "../delta/delta-stats.js";
import { type ReadTable, readTable, tableView } from "../query/query-views.js";
import { type DuckDb, isOutOfMemory } from "../sql/duckdb.js";
import { jsonFile, objectSize } from "../sql/duckdb-files.js";
import type { SqlSession } from "../sql/duckdb-session.js";
import { sqlText } from "../sql/duckdb-sql.js";
import { writeJsonLines } from "../sql/json-lines.js";
import type { ObjectStore } from "../store/object-store.js";
import { purges } from "../tables/erasures.js";
import { linkSyncs } from "../tables/link-syncs.js";
import { runs } from "../tables/runs.js";
import { transactionChanges } from "../tables/transactions.js";
import { CHANGED_ROWS, type ChainReport, checkChains, type Problem } from "./chain-check.js";
import { erasedLinks } from "./forget/forgotten.js";
import { certificateOf, linkCheckpoints } from "./link-checkpoint.js";
import { hashRows } from "./rows-check.js";
import { changedValue } from "./verify/changed-value.js";
import { checkFiles } from "./verify/file-check.js";

export interface LakeReport extends Omit<ChainReport, "problems" | "problemsTotal"> {
  readonly ok: boolean;
  readonly files: number;
  /** Written by another tool: the log has no sha256 of them. */
  readonly files_without_hash: number;
  readonly problems: readonly Problem[];
  readonly problems_total: number;
}

/** The reverse of the order in which a run writes them, so that a run under way causes no problems; retention writes `purges` before it takes rows away. */
const CHAINED: readonly TableSpec[] = [runs, linkSyncs, transactionChanges, purges];

/**
 * Checks a lake's files against the logs of its tables, and its feed against the certificates. Writes nothing to it.
 *
 * @param quick looks at the sizes of files alone
 */
export async function checkLake(
  store: ObjectStore,
  duckdb: DuckDb,
  tables: readonly TableSpec[],
  quick = false,
): Promise<LakeReport> {
  const problems: Problem[] = [];
  const read = new Map<string, ReadTable>();
  const rest = tables.filter(({ name }) => CHAINED.every((chained) => chained.name !== name));
  const unreadable = new Set<string>();
  let files = 0;
  let unhashed = 0;
  for (const { name: table } of [...CHAINED, ...rest]) {
    const found = await readTable({ store, table, duckdb }).catch((error: unknown) => {
      if (!(error instanceof InputError)) throw error;
      problems.push({ table, link_id: null, run_id: null, what: error.message });
      unreadable.add(table);
      return undefined;
    });
    if (found === undefined) continue;
    read.set(table, found);
    files += found.snapshot.files.size;
    const checked = await checkFiles(found, quick);
    problems.push(...checked.problems);
    unhashed += checked.unhashed;
    if (checked.isIncomplete) unreadable.add(table);
  }
  const isReadable = CHAINED.every(({ name }) => !unreadable.has(name));
  const chains = isReadable ? await chainsOf(duckdb, read) : NO_CHAINS;
  const { problems: broken, problemsTotal, ...counts } = chains;
  return {
    ok: problems.length + problemsTotal === 0,
    ...counts,
    files,
    files_without_hash: unhashed,
    problems: [...problems, ...broken],
    problems_total: problems.length + problemsTotal,
  };
}

/** Checks one link's certificates as {@link checkLake} does. It reads only files that may hold rows of the link. */
export async function checkLink(store: ObjectStore, duckdb: DuckDb, link: string): Promise<ChainReport> {
  const holds = holdsLinks(link, link);
  const read = new Map<string, ReadTable>();
  for (const { name: table } of CHAINED) {
    const found = await readTable({ store, table, duckdb });
    if (found === undefined) continue;
    const files = [...found.snapshot.files].filter(([, file]) => holds(factsOf(file)));
    read.set(table, { ...found, snapshot: { ...found.snapshot, files: new Map(files) } });
  }
  return chainsOf(duckdb, read, link);
}

/** @param link the only one to be checked */
async function chainsOf(
  duckdb: DuckDb,
  read: ReadonlyMap<string, ReadTable>,
  link?: string,
): Promise<ChainReport> {
  await duckdb.makeScratch();
  const heads = join(duckdb.scratchDirectory, "heads.jsonl");
  const feed = read.get(transactionChanges.name)?.snapshot ?? NO_TABLE;
  try {
    await writeJsonLines(heads, headsOf(feed, link));
    return await duckdb.exclusive(async (sql) => {
      for (const spec of CHAINED) {
        await sql.run((await tableView(spec.name, spec.columns, read.get(spec.name))).statement);
        if (link === undefined || spec === runs) continue;
        await sql.run(`alter view ${spec.name} rename to all_${spec.name}`);
        const own = `from all_${spec.name} where link_id = ${sqlText(link)}`;
        await sql.run(`create temp view ${spec.name} as ${own}`);
      }
      await sql.run(`create temp table heads as from ${jsonFile(heads, HEADS)}`);
      await sql.run("create temp table erased (fp_id varchar, link_id varchar, next_sequence bigint)");
      for (const { fp_id, link_id, next_sequence } of erasedLinks(feed)) {
        await sql.run(`insert into erased values (${sqlText(fp_id)}, ${sqlText(link_id)}, ${next_sequence})`);
      }
      const where = link === undefined ? "true" : `link_id = ${sqlText(link)}`;
      await hashRows(sql, read.get(transactionChanges.name), where);
      const report = await checkChains(sql);
      const problems: Problem[] = [];
      for (const problem of report.problems) problems.push(await withValue(sql, read, problem));
      return { ...report, problems };
    });
  } catch (error) {
    if (!(error instanceof Error) || error.name === FAILURE_TYPES.transient || isOutOfMemory(error))
      throw error;
    // A file of the right size may no longer be Parquet.
    const what = `the files of the feed or of link_syncs can't be read: ${error.message.split("\n")[0]}`;
    const problem: Problem = { table: transactionChanges.name, link_id: null, run_id: null, what };
    return { ...NO_CHAINS, problems: [problem], problemsTotal: 1 };
  } finally {
    await rm(heads, { force: true });
  }
}

async function withValue(
  sql: SqlSession,
  read: ReadonlyMap<string, ReadTable>,
  problem: Problem,
): Promise<Problem> {
  const { link_id, run_id, what } = problem;
  if (what !== CHANGED_ROWS || link_id === null || run_id === null) return problem;
  return { ...problem, what: `${what}; ${await changedValue(sql, read, link_id, run_id)}` };
}

const NO_CHAINS = {
  ...{ links: 0, certificates: 0, rows: 0, pending: 0, forgotten: 0, purged: 0 },
  ...{ problems: [], problemsTotal: 0 },
};

const HEADS = {
  lines: true,
  columns: {
    link_id: "VARCHAR",
    run_id: "VARCHAR",
    head: "VARCHAR",
    certificate_prev: "VARCHAR",
    next_sequence: "BIGINT",
    is_true: "BOOLEAN",
  },
  maximumObjectSize: objectSize([]),
};

function* headsOf(feed: Snapshot, link: string | undefined) {
  for (const [link_id, checkpoint] of linkCheckpoints(feed)) {
    if (link !== undefined && link_id !== link) continue;
    const { run_id, head, certificate_prev, next_sequence } = checkpoint;
    const is_true = checkpoint.link_id === link_id && certificateOf(checkpoint) === head;
    yield { link_id, run_id, head, certificate_prev, next_sequence, is_true };
  }
}
