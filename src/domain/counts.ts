import { isJsonObject } from "./json/value.js";

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

export function addedCalls(a: SentCalls, b: SentCalls): SentCalls {
  return added(callsOf(a), callsOf(b));
}
