import { isJsonObject } from "./json/value.js";
import { addRefusals, type Refusals } from "./refusals.js";

/** Adds up numbers of two records, nested ones too; of other values the second's counts. */
export function added<T extends object>(a: T, b: Partial<T>): T {
  const sum = { ...a } as Record<string, unknown>;
  for (const [name, more] of Object.entries(b)) {
    if (typeof more === "number") sum[name] = ((sum[name] as number | undefined) ?? 0) + more;
    else if (isJsonObject(more)) sum[name] = added((sum[name] ?? {}) as object, more);
    else if (more !== undefined) sum[name] = more;
  }
  return sum as T;
}

/** Requests of the service, repeats included. */
export interface SentCalls {
  readonly calls: number;
  /** In bodies of complete answers other than refusals. */
  readonly answer_bytes: number;
}

export const NO_CALLS: SentCalls = { calls: 0, answer_bytes: 0 };

export function callsOf({ calls, answer_bytes }: SentCalls): SentCalls {
  return { calls, answer_bytes };
}

/** Counts of a run, or of a part of it; parts add up. */
export interface Totals<Failure> extends SentCalls {
  /** The first hundred. */
  readonly failures: readonly Failure[];
  readonly failures_total: number;
  /** The first ten, with how many things failed by each. */
  readonly refusals?: readonly Refusals[];
  /** Fields of the service that no column has, such as `transactions.mcc`: the first ten. */
  readonly new_fields?: readonly string[];
}

export const MOST_FAILURES = 100;
const MOST_NEW_FIELDS = 10;

/** Adds two parts. */
export function addTotals<T extends Totals<unknown>>(a: T, b: T): T {
  return {
    ...added(a, b),
    failures: [...a.failures, ...b.failures].slice(0, MOST_FAILURES),
    ...(a.refusals && { refusals: addRefusals(a.refusals, b.refusals ?? []) }),
    ...(a.new_fields && { new_fields: joinNewFields(a.new_fields, b.new_fields) }),
  };
}

/** Joins names of new fields. */
export function joinNewFields(...parts: readonly (readonly string[] | undefined)[]): readonly string[] {
  return [...new Set(parts.flatMap((part) => part ?? []))].slice(0, MOST_NEW_FIELDS);
}
