import { InputError } from "../../domain/failures.js";
import { counted } from "../../domain/words/counted.js";
import { type Labelled, labelledLines } from "../../domain/words/texts.js";
import type { LakeReader } from "../../lake/query/query-views.js";
import { sqlText } from "../../lake/sql/duckdb-sql.js";
import {
  type ExplainedChange,
  type ExplainedPair,
  type Explanation,
  explainTransaction,
} from "../../lake/sync/explain/explain-transaction.js";
import { foundRows } from "../../lake/sync/explain/found-rows.js";
import { investmentTransactionStream } from "../../streams/investment-transactions.js";
import { lakeStore } from "../lake/query.js";
import { withLakeReader } from "../lake/reader.js";
import { showResult } from "../terminal/colours.js";
import { EXIT } from "../terminal/exit-code.js";
import type { Terminal } from "../terminal/terminal.js";
import { shortAmount } from "./amount-text.js";

function explanationLines(explanation: Explanation): string[] {
  const { transaction_id, link_id, fp_id, changes, current, imports, quarantine } = explanation;
  return [
    `transaction ${transaction_id} of link ${link_id}${fp_id === null ? "" : ` (user ${fp_id})`}: ${stateWords(explanation)}`,
    ...labelledLines([
      ...imports.map(({ line, run_id, status, seen_in_run }): Labelled => {
        const seen =
          seen_in_run === null ? "no sync has brought it back" : `first brought back by run ${seen_in_run}`;
        return ["imported", `by line ${line} of run ${run_id}, ${status}; ${seen}`];
      }),
      ...quarantine.map(({ row_id, list, page, run_id, reason, closed_by }): Labelled => {
        const state = closed_by === null ? "open" : `closed by ${closed_by}`;
        return ["bad row", `${row_id}: under ${list} on page ${page} of run ${run_id}: ${reason}; ${state}`];
      }),
      ...changes.map((change, at) => changeWords(change, stateBefore(changes, at))),
      ["now", current && `in transactions/${current.file}${versionWords("transactions", current)}`],
      ...pairsInWords(explanation),
      ...proofWords(explanation),
    ]),
  ];
}

function stateWords({ state, gone_because, replaced_by, changes, became }: Explanation): string {
  const last = changes.at(-1);
  if (state === "quarantined") return "only bad rows name it";
  if (state === "imported") return "it was imported";
  if (state === "live") return last?.pending === true ? "live, pending" : "live, posted";
  const why = {
    removed: "the service removed it",
    inferred_full_resync: "a full resync did not bring it back",
    replaced: `replaced by the update of run ${replaced_by}`,
    refreshed: "a later refresh of its link brought no pending row",
  }[gone_because ?? "removed"];
  const pair = became.at(-1);
  return `gone: ${why}${pair === undefined ? "" : `; ${becameWords(pair)}`}`;
}

/** Undefined while it was not there. */
function stateBefore(changes: readonly ExplainedChange[], at: number): ExplainedChange | undefined {
  const before = changes[at - 1];
  return before?.change_type === "removed" ? undefined : before;
}

function changeWords(change: ExplainedChange, before: ExplainedChange | undefined): Labelled {
  const { run_id, page, fetched_at, certificate, file, sequence, change_type } = change;
  const place = page === null ? "" : `page ${page} of `;
  const proof =
    certificate === null
      ? "no certificate yet: the run has not ended"
      : `certificate ${certificate.certificate.slice(0, 12)}, number ${certificate.place ?? "?"} of its link`;
  return [
    change_type,
    [
      sentenceOf(change, before),
      `${fetched_at.slice(0, 19)}Z, ${place}run ${run_id}, sequence ${sequence}, ${proof}`,
      `transaction_changes/${file}${versionWords("transaction_changes", change)}`,
    ],
  ];
}

function versionWords(
  table: string,
  { version, moved_in }: { version: number | null; moved_in: number | null },
) {
  const added =
    version === null ? `, from a version that the log of ${table} no longer has` : `, by version ${version}`;
  return moved_in === null ? added : `${added}, moved there by version ${moved_in}`;
}

function sentenceOf(change: ExplainedChange, before: ExplainedChange | undefined): string {
  if (change.change_type === "removed") {
    if (change.inferred) return "a full resync did not bring it back, so its removal was inferred";
    return before === undefined
      ? "the service removed it, though it was not there"
      : "the service listed it under removed";
  }
  const values = [
    change.pending === null ? undefined : change.pending ? "pending" : "posted",
    `${shortAmount(change.signed_amount)} ${change.currency} of ${change.date}`,
    change.description === null ? undefined : JSON.stringify(change.description),
  ];
  if (before === undefined) return values.filter(Boolean).join(", ");
  return changedWords(change, before);
}

function changedWords(change: ExplainedChange, before: ExplainedChange): string {
  const words = [
    ...(before.pending === true && change.pending === false ? ["posted, under the id that it had"] : []),
    ...(before.pending === false && change.pending === true ? ["pending again"] : []),
    ...(before.signed_amount === change.signed_amount && before.currency === change.currency
      ? []
      : [
          `${shortAmount(before.signed_amount)} ${before.currency} → ${shortAmount(change.signed_amount)} ${change.currency}`,
        ]),
    ...(before.date === change.date ? [] : [`dated ${before.date} → ${change.date}`]),
    ...(before.account_id === change.account_id
      ? []
      : [`account ${before.account_id} → ${change.account_id}`]),
    ...(before.description === change.description
      ? []
      : [`${JSON.stringify(before.description)} → ${JSON.stringify(change.description)}`]),
  ];
  return words.length === 0
    ? "told again; amount, day, account and description are as they were"
    : words.join(", ");
}

function proofWords({ proof: { holds, certificates, problems } }: Explanation): Labelled[] {
  if (holds) return [["proof", holdWords(certificates)]];
  return problems.map(({ run_id, what }) => ["broken", `${run_id === null ? "" : `run ${run_id}: `}${what}`]);
}

function holdWords(certificates: number): string {
  if (certificates === 0) return "the link has no certificate yet";
  return certificates === 1
    ? "the link's one certificate holds"
    : `the link's ${certificates} certificates hold`;
}

function pairsInWords({ transaction_id, became, was }: Explanation): Labelled[] {
  return [
    ...became.map((pair): Labelled => ["then", [becameWords(pair), ...detailWords(pair)]]),
    ...was.map((pair): Labelled => ["was", [wasWords(pair, transaction_id), ...detailWords(pair)]]),
  ];
}

function becameWords(pair: ExplainedPair): string {
  const { posted_transaction_id, tier, candidate_ids, posted_candidates, pending_candidates } = pair;
  if (posted_transaction_id !== null) return `it became ${posted_transaction_id} (${pairWords(pair)})`;
  if (tier === "returned") return "it came back itself";
  if (tier === "waiting") return "no posted transaction fits it so far";
  const more = posted_candidates > candidate_ids.length ? ", …" : "";
  const rivals = pending_candidates > 1 ? `; ${pending_candidates} pending ones fit them` : "";
  return `it may have become ${candidate_ids.join(", ")}${more}, and nothing tells which (ambiguous${rivals})`;
}

function wasWords(pair: ExplainedPair, id: string): string {
  const { pending_transaction_id: pending, posted_transaction_id } = pair;
  if (posted_transaction_id === id) return `${pending} while it was pending (${pairWords(pair)})`;
  return `perhaps ${pending} while it was pending; others fit as well (ambiguous)`;
}

const DAY_MS = 86_400_000;

/** `exact, 2 days later`. */
function pairWords({ tier, pending_date, posted_date }: ExplainedPair): string {
  const words = tier.replaceAll("_", " ");
  if (pending_date === null || posted_date === null) return words;
  const days = (Date.parse(posted_date) - Date.parse(pending_date)) / DAY_MS;
  if (days === 0) return `${words}, the same day`;
  return `${words}, ${counted(days, "day")} later`;
}

function detailWords(pair: ExplainedPair): string[] {
  const { posted_transaction_id, currency, pending_signed_amount, posted_signed_amount } = pair;
  if (posted_transaction_id === null) return [];
  const amounts = [pending_signed_amount, posted_signed_amount].map(shortAmount);
  const [before, after] = amounts;
  return [
    `${before === after ? before : `${before} → ${after}`} ${currency}; removed in run ${pair.removed_run_id}, ` +
      `posted in run ${pair.posted_run_id}, sequences ${pair.removed_sequence} and ${pair.posted_sequence}`,
  ];
}

interface ExplainFlags {
  readonly link?: string;
  readonly json?: boolean;
}

/**
 * Explains a transaction; the exit code, 1 where a certificate does not hold.
 * @throws InputError where no link has the id
 */
export async function runExplain(
  terminal: Terminal,
  id: string,
  { link, json }: ExplainFlags,
): Promise<number> {
  const store = await lakeStore(terminal);
  const found = await withLakeReader(store, async (lake) => {
    const explained = await explainTransaction(lake, id, link);
    if (explained.length === 0) throw await unknownId(lake, id, link);
    return explained;
  });
  showResult(terminal, json, { items: found }, ({ items }) => textOf(items));
  return found.every(({ proof }) => proof.holds) ? EXIT.completed : EXIT.failures;
}

async function unknownId(lake: LakeReader, id: string, link: string | undefined): Promise<InputError> {
  const { table } = investmentTransactionStream;
  const its = `investment_transaction_id = ${sqlText(id)}`;
  if ((await foundRows(lake, table, its)).length > 0)
    return new InputError(
      `${id} is an investment transaction, and explain covers only those of the table transactions. Nothing was changed. ` +
        `Its history, with nightledger query: select * from ${table.name} where ${its} order by observed_at`,
    );
  const where = link === undefined ? "in this lake" : `in link ${link}`;
  const next =
    link === undefined
      ? "Ids are those of the column transaction_id; a sync brings what is new at the bank."
      : "Leave --link out to search every link.";
  return new InputError(`there is no transaction ${id} ${where}. Nothing was changed. ${next}`);
}

function textOf(found: readonly Explanation[]): string[] {
  const [first = [], ...others] = found.map(explanationLines);
  const several =
    others.length > 0 ? [`${found.length} links have this id; --link shows one of them`, ""] : [];
  return [...several, ...first, ...others.flatMap((lines) => ["", ...lines])];
}
