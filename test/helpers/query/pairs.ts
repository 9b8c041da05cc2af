import type { QueryRow } from "./lake-of-rows.js";

type Values = Readonly<Record<string, unknown>>;
type Step = Values & { readonly id: string };

/** A pending row, a posted one, and a removal, each by its id. */
export const P = (id: string, values: Values = {}): Step => ({ id, ...values, pending: true });
export const Q = (id: string, values: Values = {}): Step => ({ id, ...values, pending: false });
export const gone = (id: string, generation = 1): Step => ({ id, generation, change_type: "removed" });

/** The feed of a link, of which each list of steps is an update. */
export function feedOf(link_id: string, updates: readonly (readonly Step[])[]): Values[] {
  const steps = updates.flatMap((update, at) => update.map((step) => ({ run_id: `run-${at}`, ...step })));
  return steps.map(({ id: transaction_id, ...step }, at) => {
    const row = {
      link_id,
      fp_id: "fp",
      transaction_id,
      sequence: at + 1,
      generation: 1,
      inferred: false,
      ...step,
    };
    return "change_type" in step ? row : { ...STATE, change_type: "created", ...row };
  });
}

const STATE = {
  account_id: "acc",
  currency: "EUR",
  type: "debit",
  signed_amount: "-4.2",
  date: "2026-11-10",
};
export const other = { signed_amount: "-5" };

/** Feeds with what the view says of them. */
export type PairCases = readonly {
  readonly rule: string;
  readonly updates: Step[][];
  readonly expected: string[];
}[];

/** A row of the view in short. */
export function pairWords(row: QueryRow): string {
  const { pending_transaction_id: p, posted_transaction_id: q, tier } = row;
  return `${p} → ${q ?? "?"} ${tier} ${row.posted_candidates}:${row.pending_candidates}`;
}
