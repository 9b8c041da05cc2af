import { jsonObjectOf } from "../../src/domain/json/value.js";
import { decimalText, decimalUnits } from "../../src/domain/service/transaction-values.js";
import type { BankLink } from "./bank-link.js";
import type { LogEvent } from "./link-log.js";
import type { World } from "./world.js";

/** A transaction that is there now. `values` is its JSON parsed, or `undefined` where that is not an object. */
export interface TruthRow {
  readonly link_id: string;
  readonly fp_id: string;
  readonly transaction_id: string;
  /** Index in the link's log of the event that last wrote the row. */
  readonly position: number;
  readonly text: string;
  readonly values: Readonly<Record<string, unknown>> | undefined;
}

/** What is true of one link. */
interface LinkTruth {
  readonly link_id: string;
  readonly fp_id: string;
  readonly rows: readonly TruthRow[];
  readonly events: readonly LogEvent[];
}

/** Sums over the rows that are there now, as `DECIMAL(28,10)` prints them. */
interface AccountTotal {
  readonly account_id: string;
  readonly rows: number;
  readonly amount: string;
  readonly signed_amount: string;
  /** Rows left out of the sums because their amount is not a decimal text. */
  readonly unreadable: number;
}

/** Everything true of a link, in memory at once; for big links use `truthRows` and the log's `events`. */
export function linkTruth(link: BankLink): LinkTruth {
  return { link_id: link.id, fp_id: link.fpId, rows: [...truthRows(link)], events: [...link.log.events()] };
}

/** The link's present rows one by one. */
export function* truthRows(link: BankLink): Generator<TruthRow> {
  for (const { id, text, position } of link.log.liveRows()) {
    yield {
      link_id: link.id,
      fp_id: link.fpId,
      transaction_id: id,
      position,
      text,
      values: jsonObjectOf(text),
    };
  }
}

/** Totals of every account, exact, over all links or one. */
export function accountTotals(world: World, linkId?: string): AccountTotal[] {
  const sums = new Map<string, { rows: number; amount: bigint; signed: bigint; unreadable: number }>();
  for (const link of linkId === undefined ? world.links.values() : [world.link(linkId)]) {
    for (const { values } of truthRows(link)) {
      const account = String(values?.account_id);
      const sum = sums.get(account) ?? { rows: 0, amount: 0n, signed: 0n, unreadable: 0 };
      sums.set(account, sum);
      const units = decimalUnits(values?.amount);
      sum.rows++;
      if (units === undefined) {
        sum.unreadable++;
        continue;
      }
      const size = units < 0n ? -units : units;
      sum.amount += units;
      sum.signed += values?.type === "credit" ? size : -size;
    }
  }
  return [...sums].map(([account_id, sum]) => ({
    account_id,
    rows: sum.rows,
    amount: decimalText(sum.amount),
    signed_amount: decimalText(sum.signed),
    unreadable: sum.unreadable,
  }));
}
