import { localFiles } from "../delta/data-files.js";
import { factsOf, holdsLinks } from "../delta/delta-stats.js";
import type { Lake } from "../lake.js";
import { parquetFiles } from "../sql/duckdb-files.js";
import { sqlList, sqlText, typedColumns } from "../sql/duckdb-sql.js";
import type { DataFile } from "../tables/parquet-file.js";
import { transactionChanges } from "../tables/transactions.js";
import { writeFeedFile } from "./feed-file.js";

/** A complete reading of a link, to be compared with what the feed knows of it. */
interface FullReading {
  readonly linkId: string;
  readonly fpId: string;
  readonly runId: string;
  readonly generation: number;
  readonly sequenceFrom: number;
  /** Files of the reading, not committed yet. */
  readonly files: readonly DataFile[];
  /** Ids that came back in quarantined rows. */
  readonly quarantinedIds: readonly string[];
  readonly at: Date;
}

/**
 * Finds ids that are live in the feed and that a full resync did not bring back (docs/inside/rules.md,
 * "Sync rules"). The result holds as long as the link's head does not change, which the caller checks when it commits.
 */
export async function inferRemovals(lake: Lake, reading: FullReading) {
  const location = { ...lake, table: transactionChanges.name };
  const { files } = await lake.table(location.table).snapshot();
  const holdsLink = holdsLinks(reading.linkId, reading.linkId);
  const feed = [...files.values()].filter((file) => holdsLink(factsOf(file)));
  if (feed.length === 0) return { known: 0, gone: 0, write: async () => undefined };
  const rows = async (of: readonly { readonly path: string }[]) =>
    `${parquetFiles(await localFiles(location, of))} where link_id = ${sqlText(reading.linkId)}`;
  const known = `select transaction_id from ${await rows(feed)}
    group by transaction_id having arg_max(change_type, sequence) <> 'removed'`;
  const back =
    reading.files.length === 0 ? "" : `union all select transaction_id from ${await rows(reading.files)}`;
  const gone = `select transaction_id from (${known}) anti join (
    select unnest(${sqlList(reading.quarantinedIds)}::varchar[]) as transaction_id ${back}) using (transaction_id)`;
  const [counts] = await lake.duckdb.exclusive((sql) =>
    sql.rows(`select (select count(*) from (${known})) as known, (select count(*) from (${gone})) as gone`),
  );
  return {
    known: Number(counts?.known),
    gone: Number(counts?.gone),
    write: () => writeFeedFile(lake, reading.runId, removals(reading, gone)),
  };
}

function removals(reading: FullReading, gone: string): string {
  const values: Readonly<Record<string, string>> = {
    link_id: sqlText(reading.linkId),
    fp_id: sqlText(reading.fpId),
    transaction_id: "transaction_id",
    change_type: "'removed'",
    sequence: `${reading.sequenceFrom} - 1 + row_number() over (order by transaction_id)`,
    generation: `${reading.generation}`,
    inferred: "true",
    run_id: sqlText(reading.runId),
    fetched_at: sqlText(reading.at.toISOString()),
  };
  return `select ${typedColumns(transactionChanges.columns, (name) => values[name] ?? "null")} from (${gone})`;
}
