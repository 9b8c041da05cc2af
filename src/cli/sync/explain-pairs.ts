import type { Labelled } from "../../domain/labelled-lines.js";
import { dayNumber } from "../../domain/lineage/transaction-state.js";
import type { ExplainedPair, Explanation } from "../../lake/sync/explain/explanation.js";
import { shortAmount } from "./amount-text.js";

/** What a transaction became and what it was, one pair after the other. */
export function pairsInWords({ transaction_id, became, was }: Explanation): Labelled[] {
  return [
    ...became.map((pair): Labelled => ["then", [becameWords(pair), ...detailWords(pair)]]),
    ...was.map((pair): Labelled => ["was", [wasWords(pair, transaction_id), ...detailWords(pair)]]),
  ];
}

/** What became of a pending transaction that was removed. */
export function becameWords(pair: ExplainedPair): string {
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

/** `exact, 2 days later`. */
function pairWords({ tier, pending_date, posted_date }: ExplainedPair): string {
  const words = tier.replaceAll("_", " ");
  if (pending_date === null || posted_date === null) return words;
  const days = dayNumber(posted_date) - dayNumber(pending_date);
  if (days === 0) return `${words}, the same day`;
  return `${words}, ${days} ${days === 1 ? "day" : "days"} later`;
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
