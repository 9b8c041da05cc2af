import { chmod, writeFile } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { InputError } from "../../../domain/failures.js";
import { counted } from "../../../domain/words/counted.js";
import { missingFiles } from "../../../lake/delta/data-files.js";
import { stateAt } from "../../../lake/delta/delta-log.js";
import type { DeltaLocation } from "../../../lake/delta/delta-path.js";
import type { Snapshot } from "../../../lake/delta/delta-snapshot.js";
import { type LakeReader, newestView, snapshotView } from "../../../lake/query/query-views.js";
import { knownRoot } from "../../../lake/root/lake-root.js";
import type { SqlSession } from "../../../lake/sql/duckdb-session.js";
import { sqlList, sqlName, sqlText } from "../../../lake/sql/duckdb-sql.js";
import { jsonValue } from "../../../lake/sql/duckdb-values.js";
import { fileSha256 } from "../../../lake/store/local/local-store-files.js";
import { linkSyncs } from "../../../lake/tables/link-syncs.js";
import { transactionChanges, transactions } from "../../../lake/tables/transactions.js";
import { accountStream } from "../../../streams/accounts.js";
import { shortList } from "../../lake/missing-links.js";
import { lakeStore } from "../../lake/query.js";
import { withLakeReader } from "../../lake/reader.js";
import { showText } from "../../terminal/colours.js";
import type { Terminal } from "../../terminal/terminal.js";
import { checkReplaceable, wholeFile } from "../../terminal/whole-file.js";

interface ExportFlags {
  readonly from: string;
  readonly to: string;
  readonly out: string;
  readonly accounts?: readonly string[];
  /** A version of the feed, or a day. */
  readonly asOf?: string;
  readonly force?: boolean;
  readonly json?: boolean;
}

const ORDER = "order by link_id, account_id, date, sequence";

type Writer = (sql: SqlSession, path: string) => Promise<unknown>;
const copied =
  (columns: string, format: string): Writer =>
  (sql, path) =>
    sql.run(`copy (select ${columns} from exported ${ORDER}) to ${sqlText(path)} (${format})`);

/** An apostrophe keeps spreadsheets from running a text as a formula (docs/use/exports.md, "Files"). */
const HARMLESS = transactions.columns.map(({ name, type }) => {
  const column = sqlName(name);
  if (type !== "VARCHAR") return column;
  return `case when regexp_matches(${column}, '^[=+@\\t\\r\\n-]') then '''' || ${column} else ${column} end as ${column}`;
});

const TEXTS = transactions.columns.filter(({ type }) => type === "VARCHAR").map(({ name }) => sqlName(name));

const WRITERS: Readonly<Record<string, Writer>> = {
  csv: copied(HARMLESS.join(", "), `format csv, header, force_quote (${TEXTS.join(", ")})`),
  parquet: copied("*", "format parquet, compression zstd"),
};

/** @throws InputError for days in the wrong order, an existing or unknown file, and a version that the log lacks */
export async function runExportTransactions(terminal: Terminal, flags: ExportFlags): Promise<void> {
  if (flags.from > flags.to)
    throw new InputError(`--from ${flags.from} is after --to ${flags.to}. Nothing was written.`);
  const path = resolve(terminal.cwd, flags.out);
  const write = WRITERS[/\.(\w+)$/.exec(path)?.[1] ?? ""];
  if (write === undefined)
    throw new InputError(
      `--out: ${flags.out} is of no known form. Give a .csv or .parquet file. Nothing was written.`,
    );
  if (flags.asOf?.includes("-") && flags.asOf >= new Date().toISOString().slice(0, 10))
    throw new InputError(
      `--as-of: ${flags.asOf} has not ended yet in UTC, and until then more may come. Nothing was written. ` +
        "Name a day that has ended, or leave it out for the lake as it is now.",
    );
  await checkReplaceable(path, flags.force);
  const store = await lakeStore(terminal);
  const proof = await wholeFile(path, async (part) => {
    const found = await withLakeReader(store, (lake) => exported(lake, flags, (sql) => write(sql, part)));
    await chmod(part, 0o600);
    return { file: basename(path), sha256: await fileSha256(part), lake: store.address, ...found };
  });
  const text = JSON.stringify(proof, null, 2);
  await writeFile(`${path}.proof.json`, `${text}\n`, { mode: 0o600 });
  if (flags.json) return terminal.result(text);
  showText(terminal, `${path}: ${counted(proof.rows, "transaction")}; its proof is ${path}.proof.json`);
}

/** The feed at a version. @throws InputError where `maintain` or an erasure deleted its files */
async function versionOf(feed: DeltaLocation, version: number, newest: Snapshot): Promise<Snapshot> {
  const state = await stateAt(feed, version);
  const replaced = [...state.files.values()].filter(({ path }) => !newest.files.has(path));
  const gone = await missingFiles(feed, replaced);
  if (gone.length === 0) return state;
  throw new InputError(
    `--as-of: version ${version} of ${feed.table} can't be read any more, because files of it were deleted since: ` +
      "those that `maintain` had merged into others, or those with rows that were erased. Nothing was written; give a day instead, which works for all rows that were not erased.",
  );
}

/** @throws InputError for unknown ids */
async function expectKnown(sql: SqlSession, accounts: readonly string[]): Promise<void> {
  const rows = await sql.rows(`select id from (select unnest(${sqlList(accounts)}) as id)
    anti join (select account_id as id from transaction_changes union all select account_id from accounts) using (id) order by id`);
  if (rows.length === 0) return;
  throw new InputError(
    `--accounts: the lake does not know ${shortList(rows.map(({ id }) => String(id)))}. Nothing was written. ` +
      '`nightledger query "select distinct link_id, account_id from transactions"` shows the ids that it has.',
  );
}

/** Writes the rows and returns their proof (docs/use/exports.md, "Transactions"). */
async function exported(lake: LakeReader, flags: ExportFlags, write: (sql: SqlSession) => Promise<unknown>) {
  const { from, to, accounts, asOf } = flags;
  const day = asOf?.includes("-") ? asOf : undefined;
  const feed = { ...lake, table: transactionChanges.name };
  const newest = await lake.table(feed.table).snapshot();
  const snapshot =
    asOf === undefined || day !== undefined ? newest : await versionOf(feed, Number(asOf), newest);
  const views = [await snapshotView(lake, transactionChanges, snapshot)];
  for (const spec of [linkSyncs, accountStream.table]) views.push(await newestView(lake, spec));
  const lake_root = knownRoot(await lake.table("runs").snapshot());
  return lake.duckdb.exclusive(async (sql) => {
    for (const view of views) await sql.run(view);
    if (accounts !== undefined) await expectKnown(sql, accounts);
    await sql.run(`create temp view state as select * from transaction_changes
      ${day === undefined ? "" : `where fetched_at < date ${sqlText(day)} + 1`}`);
    await sql.run(`create temp table exported as
      select ${transactions.columns.map(({ name }) => sqlName(name)).join(", ")} from (
        from state qualify row_number() over (partition by link_id, transaction_id order by sequence desc) = 1
      ) where change_type <> 'removed' and date between ${sqlText(from)} and ${sqlText(to)}
        ${accounts === undefined ? "" : `and list_contains(${sqlList(accounts)}, account_id)`}`);
    await write(sql);
    const totals =
      await sql.rows(`select currency, count(*) as rows, sum(signed_amount)::varchar as signed_amount
      from exported group by currency order by currency`);
    const known = "filter (sequence_to <= sequence)";
    const links = await sql.rows(`select link_id, sequence, max(sequence_to) ${known} as certified_to,
        arg_max(certificate, sequence_to) ${known} as certificate
      from (select link_id, max(sequence) as sequence from state semi join exported using (link_id) group by link_id)
        left join link_syncs using (link_id)
      group by link_id, sequence order by link_id`);
    return {
      ...{ from, to, accounts: accounts ?? null, as_of: asOf ?? null },
      feed_version: snapshot.version,
      rows: totals.reduce((sum, { rows }) => sum + Number(rows), 0),
      totals: totals.map((row) => jsonValue(row as never)),
      links: links.map((row) => jsonValue(row as never)),
      lake_root,
    };
  });
}
