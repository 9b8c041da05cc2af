import type { Departure } from "../../domain/lineage/departure.js";
import { type LineageChange, LinkLineage } from "../../domain/lineage/link-lineage.js";
import { dayNumber, type TransactionState } from "../../domain/lineage/transaction-state.js";
import type { SqlRow } from "../sql/duckdb-session.js";

/** A row of `transaction_links`, and the number of the live file that it replaces a row of; null for a new one. */
type JudgedRow = Readonly<Record<string, unknown>> & { readonly file: number | null };

/** Decides over the events of `rangeEvents` in their order, and gives the rows that are new or have changed. */
export async function* judgedRows(events: AsyncIterable<SqlRow>): AsyncGenerator<JudgedRow> {
  let judge: LinkJudge | undefined;
  for await (const event of events) {
    const link = String(event.link_id);
    if (judge?.link !== link) {
      if (judge !== undefined) yield* judge.rows();
      judge = new LinkJudge(link);
    }
    judge.take(event);
  }
  if (judge !== undefined) yield* judge.rows();
}

/** One link's events, gathered into updates: a run commits a link at most once. */
class LinkJudge {
  readonly #lineage = new LinkLineage();
  readonly #files = new Map<Departure, number>();
  #update: LineageChange[] = [];

  constructor(readonly link: string) {}

  take(event: SqlRow): void {
    const id = String(event.transaction_id);
    if (event.rank === 0) this.#takeOpen(event);
    else if (event.rank === 1) this.#lineage.addDeparted(id);
    else if (event.rank === 2) this.#lineage.addLive(id, stateOf(event));
    else {
      const change = { ...changeOf(event), state: event.removed === true ? null : stateOf(event) };
      if (this.#update[0]?.run_id !== change.run_id) this.#apply();
      this.#update.push(change);
    }
  }

  *rows(): Generator<JudgedRow> {
    this.#apply();
    for (const departure of this.#lineage.changed) yield this.#rowOf(departure);
  }

  #apply(): void {
    if (this.#update.length > 0) this.#lineage.apply(this.#update);
    this.#update = [];
  }

  #takeOpen(event: SqlRow): void {
    const state = stateOf(event);
    const candidate_tier = event.candidate_tier as Departure["candidate_tier"] | null;
    const departure: Departure = {
      ...changeOf(event),
      state,
      day: dayNumber(String(state.date)),
      tier: event.tier as Departure["tier"],
      ...(candidate_tier && { candidate_tier }),
      posted_candidates: Number(event.posted_candidates),
      pending_candidates: Number(event.pending_candidates),
      candidate_ids: JSON.parse(String(event.candidate_ids ?? "[]")) as string[],
    };
    this.#lineage.addOpen(departure);
    this.#files.set(departure, Number(event.file));
  }

  #rowOf(departure: Departure): JudgedRow {
    const { state, posted, candidate_ids } = departure;
    return {
      link_id: this.link,
      fp_id: departure.fp_id,
      account_id: state.account_id,
      pending_transaction_id: departure.id,
      posted_transaction_id: posted?.id ?? null,
      tier: departure.tier,
      candidate_tier: departure.candidate_tier ?? null,
      posted_candidates: departure.posted_candidates,
      pending_candidates: departure.pending_candidates,
      candidate_ids: candidate_ids.length === 0 ? null : JSON.stringify(candidate_ids),
      currency: state.currency,
      type: state.type,
      pending_signed_amount: state.signed_amount,
      posted_signed_amount: posted?.state.signed_amount ?? null,
      pending_date: state.date,
      posted_date: posted?.state.date ?? null,
      merchant_id: state.merchant_id,
      description: state.description,
      removed_run_id: departure.run_id,
      removed_sequence: departure.sequence,
      removal_inferred: departure.inferred,
      posted_run_id: posted?.run_id ?? null,
      posted_sequence: posted?.sequence ?? null,
      file: this.#files.get(departure) ?? null,
    };
  }
}

function changeOf({ transaction_id, fp_id, sequence, run_id, generation, inferred }: SqlRow) {
  return {
    id: String(transaction_id),
    fp_id: textOf(fp_id),
    sequence: Number(sequence),
    run_id: String(run_id),
    generation: Number(generation),
    inferred: inferred === true,
  };
}

function stateOf(row: SqlRow): TransactionState {
  return {
    account_id: textOf(row.account_id),
    currency: textOf(row.currency),
    type: textOf(row.type),
    signed_amount: textOf(row.signed_amount),
    date: textOf(row.date),
    pending: typeof row.pending === "boolean" ? row.pending : null,
    merchant_id: textOf(row.merchant_id),
    description: textOf(row.description),
  };
}

function textOf(value: SqlRow[string] | undefined): string | null {
  return value === null || value === undefined ? null : String(value);
}
