import { mapConcurrent } from "../../../domain/concurrent-work.js";
import { factsOf, holdsLinks } from "../../delta/delta-stats.js";
import { ruleOf } from "../../materialize/pending-rows.js";
import { ACCOUNTS, IMPORTS_BROUGHT_BACK, ORIGINAL } from "../../query/imports-seen-view.js";
import { type LakeReader, readTables } from "../../query/query-views.js";
import { transactionLinks } from "../../query/transaction-links-view.js";
import type { SqlRow } from "../../sql/duckdb-session.js";
import { sqlText } from "../../sql/duckdb-sql.js";
import { jsonValue, numberOf, textOf } from "../../sql/duckdb-values.js";
import { transactionImports } from "../../tables/bulk.js";
import { linkSyncs } from "../../tables/link-syncs.js";
import { transactionChanges, transactions } from "../../tables/transactions.js";
import { watermarkOf } from "../../watermark.js";
import { checkLink } from "../lake-check.js";
import { quarantinedRows } from "../quarantine.js";
import { addedIn, type FoundRow, foundRows, updateCommits } from "./found-rows.js";

const LOGS_AT_ONCE = 4;

/** Explains an id, the service's or an imported one, in each link that has it. */
export async function explainTransaction(
  lake: LakeReader,
  id: string,
  link?: string,
): Promise<Explanation[]> {
  const own = await explainId(lake, id, link);
  const ofLink = link === undefined ? "" : ` and link_id = ${sqlText(link)}`;
  const its = `transaction_id <> ${sqlText(id)} and ${ORIGINAL} = ${sqlText(id)}${ofLink}`;
  const named = (await foundRows(lake, transactionChanges, its, { link })).map(({ row }) => row);
  const back = new Map(named.map((row) => [`${row.link_id} ${row.transaction_id}`, row]));
  const others: Explanation[] = [];
  for (const row of back.values())
    others.push(...(await explainId(lake, String(row.transaction_id), String(row.link_id))));
  const isBack = new Set(others.map(({ link_id }) => link_id));
  return [...own.filter(({ state, link_id }) => state !== "imported" || !isBack.has(link_id)), ...others];
}

async function explainId(lake: LakeReader, id: string, link?: string): Promise<Explanation[]> {
  const traces = await tracesOf(lake, id, link);
  const named = [...traces.changes.map(({ row }) => row), ...traces.imports, ...traces.quarantine];
  const links = [...new Set(named.map(({ link_id }) => String(link_id)))].sort();
  const explanations: Explanation[] = [];
  for (const one of links) explanations.push(await explainInLink(lake, id, one, traces));
  return explanations;
}

async function tracesOf(lake: LakeReader, id: string, link: string | undefined) {
  const ofLink = link === undefined ? "" : ` and link_id = ${sqlText(link)}`;
  const its = `transaction_id = ${sqlText(id)}${ofLink}`;
  const imports = await foundRows(lake, transactionImports, its, { link });
  const changes = await foundRows(lake, transactionChanges, its, { link });
  // A payload may escape an id that is not plain.
  const bad = await quarantinedRows(
    lake,
    { all: true, link, ...(/^[\w.:-]+$/.test(id) && { containing: id }) },
    true,
  );
  return {
    changes: changes.sort((a, b) => Number(a.row.sequence) - Number(b.row.sequence)),
    imports: imports.map(({ row }) => row),
    quarantine: bad.filter((row) => row.stream === "transactions" && idIn(row) === id),
  };
}

function idIn({ list, payload }: SqlRow): unknown {
  try {
    const value: unknown = JSON.parse(String(payload));
    return list === "removed" ? value : (value as { transaction_id?: unknown } | null)?.transaction_id;
  } catch {
    return undefined;
  }
}

export type Explanation = Awaited<ReturnType<typeof explainInLink>>;
export type ExplainedChange = Explanation["changes"][number];
export type ExplainedPair = ReturnType<typeof pairOf>;

async function explainInLink(
  lake: LakeReader,
  id: string,
  link: string,
  traces: Awaited<ReturnType<typeof tracesOf>>,
) {
  const isOfLink = ({ link_id }: SqlRow) => link_id === link;
  const found = traces.changes.filter(({ row }) => isOfLink(row));
  const pairs = found.length === 0 ? [] : await pairsOf(lake, id, link);
  const imports = await importsOf(lake, id, link);
  const quarantine = traces.quarantine.filter(isOfLink);
  const { byRun, ...proof } = await linkProof(lake, link);
  const last = found.at(-1)?.row;
  const isRemoved = last?.change_type === "removed";
  const current = isRemoved || last === undefined ? null : await currentOf(lake, id, link, last);
  // Its own last row stands for the departure of a row that was replaced.
  const isLast = ({ removed_sequence }: ExplainedPair) => removed_sequence === Number(last?.sequence);
  const replaced_by = isRemoved ? null : (pairs.find(isLast)?.removed_run_id ?? null);
  const isLeftOut = last?.pending === true && current === null && (await leavesOutRefreshed(lake));
  const gone_because = isRemoved
    ? last?.inferred === true
      ? ("inferred_full_resync" as const)
      : ("removed" as const)
    : replaced_by !== null
      ? ("replaced" as const)
      : isLeftOut
        ? ("refreshed" as const)
        : null;
  const [known] = [...found.map(({ row }) => row), ...quarantine];
  return {
    transaction_id: id,
    link_id: link,
    fp_id: textOf(known?.fp_id),
    state: stateOf(last, gone_because !== null, quarantine),
    gone_because,
    replaced_by,
    changes: await changesOf(lake, link, found, byRun),
    current,
    /** What it became, or may have become. */
    became: pairs.filter((pair) => pair.pending_transaction_id === id),
    /** What became it, or may have. */
    was: pairs.filter((pair) => pair.pending_transaction_id !== id),
    imports: imports.map(jsonOf),
    quarantine: quarantine.map(({ payload: _, ...row }) => jsonOf(row)),
    proof,
  };
}

/** `transactions` has every live row of the feed, and leaves out pending rows that a refresh replaced. */
async function leavesOutRefreshed(lake: LakeReader): Promise<boolean> {
  const current = await lake.table(transactions.name).snapshot();
  const feed = await lake.table(transactionChanges.name).snapshot();
  return ruleOf(current) === "replaced" && watermarkOf(current, transactionChanges.name) === feed.version;
}

/** The rows of the ledger that it came from, as the view `imports_seen` has them. */
function importsOf(lake: LakeReader, id: string, link: string): Promise<SqlRow[]> {
  const its = `link_id = ${sqlText(link)} and transaction_id`;
  return readTables(
    lake,
    [transactionImports, transactionChanges, ACCOUNTS],
    (sql) =>
      sql.rows(`select * exclude (by_id)
        from transaction_imports left join (${IMPORTS_BROUGHT_BACK}) using (link_id, account_id, transaction_id)
        where ${its} in (select ${sqlText(id)} union all select ${ORIGINAL} from transaction_changes where ${its} = ${sqlText(id)})`),
    (file) => holdsLinks(link, link)(factsOf(file)),
  );
}

/** `quarantined`: only bad rows name it; `imported`: no sync has brought it back. */
function stateOf(last: SqlRow | undefined, isGone: boolean, quarantine: readonly SqlRow[]) {
  if (last !== undefined) return isGone ? "gone" : "live";
  return quarantine.length > 0 ? "quarantined" : "imported";
}

async function changesOf(
  { store, duckdb, table }: LakeReader,
  link: string,
  found: readonly FoundRow[],
  byRun: Awaited<ReturnType<typeof linkProof>>["byRun"],
) {
  const feed = { store, duckdb, table: transactionChanges.name };
  const runs = new Set(found.map(({ row }) => String(row.run_id)));
  const snapshot = await table(feed.table).snapshot();
  const commits = await updateCommits(feed, snapshot, link, runs);
  return mapConcurrent(LOGS_AT_ONCE, found, async ({ row, file: { path } }) => {
    const commit = commits.get(String(row.run_id));
    const isThere = commit?.files.some((added) => added.path === path) !== false;
    const moved = isThere ? undefined : await addedIn(feed, snapshot, path);
    return {
      file: path,
      /** Null if the table's log no longer has it. */
      version: commit?.version ?? null,
      /** By a compaction. */
      moved_in: moved?.version ?? null,
      sequence: Number(row.sequence),
      change_type: String(row.change_type),
      inferred: row.inferred === true,
      run_id: String(row.run_id),
      /** Null for an inferred removal. */
      page: numberOf(row.page),
      fetched_at: String(row.fetched_at),
      generation: Number(row.generation),
      account_id: textOf(row.account_id),
      amount: textOf(row.amount),
      signed_amount: textOf(row.signed_amount),
      currency: textOf(row.currency),
      date: textOf(row.date),
      type: textOf(row.type),
      pending: typeof row.pending === "boolean" ? row.pending : null,
      description: textOf(row.description),
      /** Null while its run has not ended. */
      certificate: byRun.get(String(row.run_id)) ?? null,
    };
  });
}

async function currentOf(lake: LakeReader, id: string, link: string, last: SqlRow) {
  const condition = `transaction_id = ${sqlText(id)} and link_id = ${sqlText(link)}`;
  const [found] = await foundRows(lake, transactions, condition, { link, date: textOf(last.date) });
  if (found === undefined) return null;
  const { store, duckdb, table } = lake;
  const location = { store, duckdb, table: transactions.name };
  const { path } = found.file;
  const added = await addedIn(location, await table(transactions.name).snapshot(), path);
  const version = added === undefined || added.moved ? null : added.version;
  const moved_in = added?.moved === true ? added.version : null;
  return { sequence: Number(found.row.sequence), file: path, version, moved_in };
}

/** Only what the feed has of its link is read. */
async function pairsOf(lake: LakeReader, id: string, link: string) {
  const rule = ruleOf(await lake.table(transactions.name).snapshot());
  const rows = await readTables(
    lake,
    [transactionChanges],
    (sql) =>
      sql.rows(`from (${transactionLinks(rule, link)}) where ${sqlText(id)} in (pending_transaction_id, posted_transaction_id)
        or contains(candidate_ids, ${sqlText(JSON.stringify(id))}) order by removed_sequence`),
    (file) => holdsLinks(link, link)(factsOf(file)),
  );
  return rows.map(pairOf);
}

function pairOf(row: SqlRow) {
  return {
    pending_transaction_id: String(row.pending_transaction_id),
    posted_transaction_id: textOf(row.posted_transaction_id),
    tier: String(row.tier),
    candidate_tier: textOf(row.candidate_tier),
    posted_candidates: Number(row.posted_candidates),
    pending_candidates: Number(row.pending_candidates),
    candidate_ids: JSON.parse(String(row.candidate_ids ?? "[]")) as string[],
    currency: textOf(row.currency),
    pending_signed_amount: textOf(row.pending_signed_amount),
    posted_signed_amount: textOf(row.posted_signed_amount),
    pending_date: textOf(row.pending_date),
    posted_date: textOf(row.posted_date),
    removed_run_id: String(row.removed_run_id),
    removed_sequence: Number(row.removed_sequence),
    posted_run_id: textOf(row.posted_run_id),
    posted_sequence: numberOf(row.posted_sequence),
  };
}

function jsonOf(row: SqlRow): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, jsonValue(value)]));
}

/** Checks a link as `verify` does, and gives each certificate's place in the chain, by run. */
async function linkProof(lake: LakeReader, link: string) {
  const { certificates, problems, problemsTotal } = await checkLink(lake.store, lake.duckdb, link);
  const condition = `link_id = ${sqlText(link)} and certificate is not null`;
  const rows = (await foundRows(lake, linkSyncs, condition, { link })).map(({ row }) => row);
  const next = new Map(rows.map((row) => [row.certificate_prev, row.certificate]));
  const places = new Map<unknown, number>();
  for (let at = next.get(null); at !== undefined && !places.has(at); at = next.get(at)) {
    places.set(at, places.size + 1);
  }
  // Null: the chain does not lead to it.
  const placed = rows.map(({ run_id, certificate }) => {
    const place = { certificate: String(certificate), place: places.get(certificate) ?? null };
    return [String(run_id), place] as const;
  });
  return { holds: problemsTotal === 0, certificates, problems, byRun: new Map(placed) };
}
