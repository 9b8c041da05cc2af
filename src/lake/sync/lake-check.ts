import { rm } from "node:fs/promises";
import { join } from "node:path";
import { InputError } from "../../domain/failures.js";
import { missingFiles } from "../delta/data-files.js";
import type { TableSpec } from "../delta/delta-schema.js";
import { NO_TABLE, type Snapshot } from "../delta/delta-snapshot.js";
import { factsOf } from "../delta/delta-stats.js";
import { type ReadTable, readTable, tableView } from "../query/query-views.js";
import { type DuckDb, isOutOfMemory } from "../sql/duckdb.js";
import { jsonFile, objectSize } from "../sql/duckdb-files.js";
import { writeJsonLines } from "../sql/json-lines.js";
import { StoreFullError } from "../store/local-store-errors.js";
import type { ObjectStore } from "../store/object-store.js";
import { linkSyncs } from "../tables/link-syncs.js";
import { runs } from "../tables/runs.js";
import { transactionChanges } from "../tables/transactions.js";
import { type ChainReport, checkChains, type Problem } from "./chain-check.js";
import { certificateOf, linkCheckpoints } from "./link-checkpoint.js";

export interface LakeReport extends Omit<ChainReport, "problems" | "problemsTotal"> {
  readonly ok: boolean;
  readonly files: number;
  readonly problems: readonly Problem[];
  readonly problems_total: number;
}

/** The reverse of the order in which a run writes them, so that a run under way causes no problems. */
const CHAINED: readonly TableSpec[] = [runs, linkSyncs, transactionChanges];

/** Checks a lake's files against the logs of its tables, and its feed against the certificates. Writes nothing to it. */
export async function checkLake(
  store: ObjectStore,
  duckdb: DuckDb,
  tables: readonly TableSpec[],
): Promise<LakeReport> {
  const problems: Problem[] = [];
  const read = new Map<string, ReadTable>();
  const rest = tables.filter(({ name }) => CHAINED.every((chained) => chained.name !== name));
  let files = 0;
  for (const { name: table } of [...CHAINED, ...rest]) {
    const found = await readTable({ store, table, duckdb }).catch((error: unknown) => {
      if (!(error instanceof InputError)) throw error;
      problems.push({ table, link_id: null, run_id: null, what: error.message });
      return undefined;
    });
    if (found === undefined) continue;
    read.set(table, found);
    files += found.snapshot.files.size;
    for (const file of await missingFiles(found.location, found.snapshot.files.values())) {
      const links = factsOf(file).links;
      const whose = links === undefined ? "" : `; it holds rows of the links from ${links[0]} to ${links[1]}`;
      const what = `the file ${table}/${file.path} is missing, or does not have ${file.size} bytes${whose}`;
      problems.push({ table, link_id: links?.[0] ?? null, run_id: null, what });
    }
  }
  const isReadable = problems.every(({ table }) => CHAINED.every(({ name }) => name !== table));
  const chains = isReadable ? await chainsOf(duckdb, read) : NO_CHAINS;
  const { problems: broken, problemsTotal, ...counts } = chains;
  return {
    ok: problems.length + problemsTotal === 0,
    ...counts,
    files,
    problems: [...problems, ...broken],
    problems_total: problems.length + problemsTotal,
  };
}

async function chainsOf(duckdb: DuckDb, read: ReadonlyMap<string, ReadTable>): Promise<ChainReport> {
  await duckdb.makeScratch();
  const heads = join(duckdb.scratchDirectory, "heads.jsonl");
  try {
    await writeJsonLines(heads, headsOf(read.get(transactionChanges.name)?.snapshot ?? NO_TABLE));
    return await duckdb.exclusive(async (sql) => {
      for (const spec of CHAINED) {
        await sql.run((await tableView(spec.name, spec.columns, read.get(spec.name))).statement);
      }
      await sql.run(`create temp table heads as from ${jsonFile(heads, HEADS)}`);
      return checkChains(sql);
    });
  } catch (error) {
    if (!(error instanceof Error) || error instanceof StoreFullError || isOutOfMemory(error)) throw error;
    // A file of the right size may no longer be Parquet.
    const what = `the files of the feed or of link_syncs can't be read: ${error.message.split("\n")[0]}`;
    const problem: Problem = { table: transactionChanges.name, link_id: null, run_id: null, what };
    return { ...NO_CHAINS, problems: [problem], problemsTotal: 1 };
  } finally {
    await rm(heads, { force: true });
  }
}

const NO_CHAINS = { links: 0, certificates: 0, rows: 0, pending: 0, problems: [], problemsTotal: 0 };

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

function* headsOf(feed: Snapshot) {
  for (const [link_id, checkpoint] of linkCheckpoints(feed)) {
    const { run_id, head, certificate_prev, next_sequence } = checkpoint;
    const is_true = checkpoint.link_id === link_id && certificateOf(checkpoint) === head;
    yield { link_id, run_id, head, certificate_prev, next_sequence, is_true };
  }
}
