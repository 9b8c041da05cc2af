import { rm } from "node:fs/promises";
import { join } from "node:path";
import { InputError } from "../../domain/failures.js";
import { changedFiles, missingFiles } from "../delta/data-files.js";
import { SHA256_TAG } from "../delta/delta-actions.js";
import { falseCheckpoint } from "../delta/delta-log.js";
import type { TableSpec } from "../delta/delta-schema.js";
import { NO_TABLE, type Snapshot } from "../delta/delta-snapshot.js";
import { factsOf, holdsLinks } from "../delta/delta-stats.js";
import { currentOf, isHistory } from "../history/history-spec.js";
import { ACCOUNTS_TWICE } from "../query/one-bank-view.js";
import { type LakeReader, type ReadTable, readTable, readTables, tableView } from "../query/query-views.js";
import type { DuckDb } from "../sql/duckdb.js";
import { jsonRows, writeJsonLines } from "../sql/duckdb-files.js";
import type { SqlSession } from "../sql/duckdb-session.js";
import { sqlText } from "../sql/duckdb-sql.js";
import type { ObjectStore } from "../store/object-store.js";
import { bigint, boolean, varchar } from "../tables/columns.js";
import { purges } from "../tables/erasures.js";
import { linkSyncs } from "../tables/link-syncs.js";
import { runs } from "../tables/runs.js";
import { transactionChanges } from "../tables/transactions.js";
import { CHANGED_ROWS, type ChainReport, checkChains, type Problem, Problems } from "./chain-check.js";
import { erasedLinks } from "./forget/forgotten.js";
import { certificateOf, linkCheckpoints } from "./link-checkpoint.js";
import { hashRows } from "./rows-hash.js";
import { changedValue } from "./verify/row-differences.js";

export interface LakeReport extends Omit<ChainReport, "problems" | "problemsTotal"> {
  readonly ok: boolean;
  readonly files: number;
  /** Another tool wrote them: the log has no sha256. */
  readonly files_without_hash: number;
  readonly problems: readonly Problem[];
  readonly problems_total: number;
}

/**
 * The reverse of a run's order, so that one under way causes no problems; retention writes `purges` before it takes rows
 * away.
 */
const CHAINED: readonly TableSpec[] = [runs, linkSyncs, transactionChanges, purges];

/** Checks files against logs, and the feed against the certificates. `quick`: only the sizes of files. */
export async function checkLake(
  store: ObjectStore,
  duckdb: DuckDb,
  tables: readonly TableSpec[],
  quick = false,
): Promise<LakeReport> {
  const problems = new Problems();
  const read = new Map<string, ReadTable>();
  const rest = tables.filter(({ name }) => CHAINED.every((chained) => chained.name !== name));
  const unreadable = new Set<string>();
  let files = 0;
  let unhashed = 0;
  for (const { name: table } of [...CHAINED, ...rest]) {
    const found = await readTable({ store, table, duckdb }).catch((error: unknown) => {
      if (!(error instanceof InputError)) throw error;
      problems.say(table, error.message);
      unreadable.add(table);
      return undefined;
    });
    if (found === undefined) continue;
    read.set(table, found);
    files += found.snapshot.files.size;
    const checked = await checkFiles(found, quick);
    problems.add(checked.problems);
    const version = quick ? undefined : await falseCheckpoint(found.location);
    if (version !== undefined)
      problems.say(
        table,
        `the checkpoint of version ${version} in its log is not what the commits before it made: restore it from a backup`,
      );
    unhashed += checked.unhashed;
    if (checked.isIncomplete) unreadable.add(table);
  }
  const isReadable = CHAINED.every(({ name }) => !unreadable.has(name));
  const chains = isReadable ? await chainsOf(duckdb, read) : NO_CHAINS;
  const { problems: broken, problemsTotal, ...counts } = chains;
  problems.add(broken, problemsTotal);
  const { first, total } = problems;
  return {
    ok: total === 0,
    ...counts,
    files,
    files_without_hash: unhashed,
    problems: first,
    problems_total: total,
  };
}

/** Checks one link, by files that may hold rows of it. */
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

async function chainsOf(
  duckdb: DuckDb,
  read: ReadonlyMap<string, ReadTable>,
  link?: string,
): Promise<ChainReport> {
  await duckdb.makeScratch();
  const heads = join(duckdb.scratchDirectory, "heads.jsonl");
  const feed = read.get(transactionChanges.name)?.snapshot ?? NO_TABLE;
  const problems = new Problems();
  let report: ChainReport | undefined;
  const check = async () => {
    const longest = await writeJsonLines(heads, headsOf(feed, link));
    await duckdb.exclusive(async (sql) => {
      for (const spec of CHAINED) {
        await sql.run((await tableView(spec.name, spec.columns, read.get(spec.name))).statement);
        if (link === undefined || spec === runs) continue;
        await sql.run(`alter view ${spec.name} rename to all_${spec.name}`);
        const own = `from all_${spec.name} where link_id = ${sqlText(link)}`;
        await sql.run(`create temp view ${spec.name} as ${own}`);
      }
      await sql.run(`create temp table heads as ${jsonRows(heads, HEADS, longest)}`);
      await sql.run("create temp table erased (fp_id varchar, link_id varchar, next_sequence bigint)");
      for (const { fp_id, link_id, next_sequence } of erasedLinks(feed)) {
        await sql.run(`insert into erased values (${sqlText(fp_id)}, ${sqlText(link_id)}, ${next_sequence})`);
      }
      const where = link === undefined ? "true" : `link_id = ${sqlText(link)}`;
      await hashRows(sql, read.get(transactionChanges.name), where);
      const chains = await checkChains(sql);
      const named: Problem[] = [];
      for (const problem of chains.problems) named.push(await withValue(sql, read, problem));
      report = { ...chains, problems: named };
    });
  };
  const fault = "the files of the feed or of link_syncs can't be read";
  await problems.during(transactionChanges.name, check, fault).finally(() => rm(heads, { force: true }));
  return report ?? { ...NO_CHAINS, problems: problems.first, problemsTotal: problems.total };
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

const HEADS = [
  ...varchar("link_id", "run_id", "head", "certificate_prev"),
  ...bigint("next_sequence"),
  ...boolean("is_true"),
];

function* headsOf(feed: Snapshot, link: string | undefined) {
  for (const [link_id, checkpoint] of linkCheckpoints(feed)) {
    if (link !== undefined && link_id !== link) continue;
    const { run_id, head, certificate_prev, next_sequence } = checkpoint;
    const is_true = checkpoint.link_id === link_id && certificateOf(checkpoint) === head;
    yield { link_id, run_id, head, certificate_prev, next_sequence, is_true };
  }
}

/** `quick`: only sizes. */
async function checkFiles({ location, snapshot }: ReadTable, quick = false) {
  const files = [...snapshot.files.values()];
  const missing = new Set(await missingFiles(location, files));
  const there = files.filter((file) => !missing.has(file));
  const problems = [...missing, ...(quick ? [] : await changedFiles(location, there))].map(
    (file): Problem => {
      const { table } = location;
      const { links } = factsOf(file);
      const fault = missing.has(file)
        ? `is missing, or does not have ${file.size} bytes`
        : "was changed: its sha256 is not the one in the table's log";
      const whose = links === undefined ? "" : `; it holds rows of the links from ${links[0]} to ${links[1]}`;
      const what = `the file ${table}/${file.path} ${fault}${whose}`;
      return { table, link_id: links?.[0] ?? null, run_id: null, what };
    },
  );
  return {
    problems,
    isIncomplete: missing.size > 0,
    unhashed: files.filter(({ tags }) => tags?.[SHA256_TAG] === undefined).length,
  };
}

/** Finds links that the lake has under two users: an answer about another user was once taken. */
export async function sharedLinks(lake: LakeReader, bankLinks: TableSpec): Promise<string[]> {
  if (!isHistory(bankLinks)) return [];
  const current = currentOf(bankLinks);
  const rows = await readTables(lake, [current, linkSyncs], (sql) =>
    sql.rows(`
      with committed as (
        select link_id, fp_id from link_syncs where certificate is not null
        qualify generation = max(generation) over (partition by link_id)
      )
      select link_id from (
        select link_id, fp_id from ${current.name} where state is distinct from 'deleted' union all from committed
      )
      group by link_id having count(distinct fp_id) > 1 order by link_id`),
  );
  return rows.map(({ link_id }) => String(link_id));
}

/** Finds accounts under two links of one bank, so that payments count twice. */
export async function accountsTwice(
  lake: LakeReader,
  histories: readonly TableSpec[],
): Promise<{ readonly accounts: number; readonly links: readonly string[] }> {
  const rows = await readTables(lake, histories, (sql) => sql.rows(`${ACCOUNTS_TWICE} order by all`));
  return {
    accounts: rows.length,
    links: [...new Set(rows.map(({ later_link_id }) => String(later_link_id)))],
  };
}

export const SHARED_LINK =
  "the lake has it under two users: run nightledger sync --full --links with it and all users, then its rows are under the one whose list names it";
