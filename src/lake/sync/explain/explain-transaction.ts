import type { LakeReader } from "../../query/query-views.js";
import type { SqlRow } from "../../sql/duckdb-session.js";
import { sqlText } from "../../sql/duckdb-sql.js";
import { jsonValue } from "../../sql/duckdb-values.js";
import { transactionImports } from "../../tables/transaction-imports.js";
import { transactionLinks } from "../../tables/transaction-links.js";
import { transactionChanges, transactions } from "../../tables/transactions.js";
import { quarantinedRows } from "../quarantine-resolutions.js";
import type { ExplainedChange, ExplainedPair, Explanation, StoredRow } from "./explanation.js";
import { addedIn, type FoundRow, foundRows, type UpdateCommit, updateCommits } from "./found-rows.js";
import { type LinkProof, linkProof } from "./link-proof.js";

/** What names a transaction, before it is told by link. */
interface Traces {
  readonly changes: readonly FoundRow[];
  readonly pairs: readonly SqlRow[];
  readonly imports: readonly SqlRow[];
  readonly quarantine: readonly SqlRow[];
}

/**
 * Explains a transaction id in each link that has it; in none if the lake does not know it. Files that can't hold it are
 * not read.
 */
export async function explainTransaction(
  lake: LakeReader,
  id: string,
  link?: string,
): Promise<Explanation[]> {
  const traces = await tracesOf(lake, id, link);
  const named = [...traces.changes.map(({ row }) => row), ...traces.imports, ...traces.quarantine];
  const links = [...new Set(named.map(({ link_id }) => String(link_id)))].sort();
  const explanations: Explanation[] = [];
  for (const one of links) explanations.push(await explainInLink(lake, id, one, traces));
  return explanations;
}

async function tracesOf(lake: LakeReader, id: string, link: string | undefined): Promise<Traces> {
  const ofLink = link === undefined ? "" : ` and link_id = ${sqlText(link)}`;
  const its = `transaction_id = ${sqlText(id)}${ofLink}`;
  const pairs = await foundRows(
    lake,
    transactionLinks,
    `${sqlText(id)} in (pending_transaction_id, posted_transaction_id)${ofLink}
      or (contains(candidate_ids, ${sqlText(JSON.stringify(id))})${ofLink})`,
    { link },
  );
  const imports = await foundRows(lake, transactionImports, its, { link });
  const changes = await foundRows(lake, transactionChanges, its, { link });
  // The text of a payload may escape an id that is not plain; its characters are then looked for one by one.
  const bad = await quarantinedRows(lake, { all: true, link, ...(isPlain(id) && { containing: id }) }, true);
  return {
    changes: changes.sort((a, b) => Number(a.row.sequence) - Number(b.row.sequence)),
    pairs: pairs
      .map(({ row }) => row)
      .sort((a, b) => Number(a.removed_sequence) - Number(b.removed_sequence)),
    imports: imports.map(({ row }) => row),
    quarantine: bad.filter((row) => row.stream === "transactions" && idIn(row) === id),
  };
}

function isPlain(id: string): boolean {
  return /^[\w.:-]+$/.test(id);
}

/** The id in a bad row's payload, if it can be made out. */
function idIn({ list, payload }: SqlRow): unknown {
  try {
    const value: unknown = JSON.parse(String(payload));
    return list === "removed" ? value : (value as { transaction_id?: unknown } | null)?.transaction_id;
  } catch {
    return undefined;
  }
}

async function explainInLink(
  lake: LakeReader,
  id: string,
  link: string,
  traces: Traces,
): Promise<Explanation> {
  const isOfLink = ({ link_id }: SqlRow) => link_id === link;
  const found = traces.changes.filter(({ row }) => isOfLink(row));
  const pairs = traces.pairs.filter(isOfLink).map(pairOf);
  const imports = traces.imports.filter(isOfLink);
  const quarantine = traces.quarantine.filter(isOfLink);
  const proof = await linkProof(lake, link);
  const last = found.at(-1)?.row;
  const isGone = last?.change_type === "removed";
  const [known] = [...found.map(({ row }) => row), ...quarantine];
  return {
    transaction_id: id,
    link_id: link,
    fp_id: known === undefined ? null : textOf(known.fp_id),
    state: stateOf(last, isGone, quarantine),
    gone_because: isGone ? (last.inferred === true ? "inferred_full_resync" : "removed") : null,
    changes: await changesOf(lake, link, found, proof),
    current: isGone || last === undefined ? null : await currentOf(lake, id, link, last),
    became: pairs.filter((pair) => pair.pending_transaction_id === id),
    was: pairs.filter((pair) => pair.pending_transaction_id !== id),
    imports: imports.map(jsonOf),
    quarantine: quarantine.map(({ payload: _, ...row }) => jsonOf(row)),
    proof: { holds: proof.holds, certificates: proof.certificates, problems: proof.problems },
  };
}

function stateOf(
  last: SqlRow | undefined,
  isGone: boolean,
  quarantine: readonly SqlRow[],
): Explanation["state"] {
  if (last !== undefined) return isGone ? "gone" : "live";
  return quarantine.length > 0 ? "quarantined" : "imported";
}

async function changesOf(
  { store, duckdb, table }: LakeReader,
  link: string,
  found: readonly FoundRow[],
  { byRun }: LinkProof,
): Promise<ExplainedChange[]> {
  const feed = { store, duckdb, table: transactionChanges.name };
  const runs = new Set(found.map(({ row }) => String(row.run_id)));
  const commits = await updateCommits(feed, await table(feed.table).snapshot(), link, runs);
  const changes: ExplainedChange[] = [];
  for (const { row, file } of found) {
    const commit = commits.get(String(row.run_id));
    changes.push({
      ...(await storedIn(file.path, commit)),
      sequence: Number(row.sequence),
      change_type: String(row.change_type),
      inferred: row.inferred === true,
      run_id: String(row.run_id),
      page: row.page === null ? null : Number(row.page),
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
      certificate: byRun.get(String(row.run_id)) ?? null,
    });
  }
  return changes;

  async function storedIn(path: string, commit: UpdateCommit | undefined): Promise<StoredRow> {
    const isThere = commit?.files.some((added) => added.path === path) !== false;
    const moved = isThere ? undefined : await addedIn(feed, await table(feed.table).snapshot(), path);
    return { file: path, version: commit?.version ?? null, moved_in: moved?.version ?? null };
  }
}

async function currentOf(
  lake: LakeReader,
  id: string,
  link: string,
  last: SqlRow,
): Promise<Explanation["current"]> {
  const condition = `transaction_id = ${sqlText(id)} and link_id = ${sqlText(link)}`;
  const [found] = await foundRows(lake, transactions, condition, { link, date: textOf(last.date) });
  if (found === undefined) return null;
  const { store, duckdb, table } = lake;
  const location = { store, duckdb, table: transactions.name };
  const added = await addedIn(location, await table(transactions.name).snapshot(), found.file.path);
  const version = added === undefined || added.moved ? null : added.version;
  const moved_in = added?.moved === true ? added.version : null;
  return { sequence: Number(found.row.sequence), file: found.file.path, version, moved_in };
}

function pairOf(row: SqlRow): ExplainedPair {
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
    posted_sequence: row.posted_sequence === null ? null : Number(row.posted_sequence),
  };
}

function jsonOf(row: SqlRow): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, jsonValue(value)]));
}

function textOf(value: SqlRow[string] | undefined): string | null {
  return value === null || value === undefined ? null : String(value);
}
