import { isJsonObject } from "./json/value.js";

/** Adds up what two records count, in the records within them too; of what is no number, that of the second counts. */
export function added<T extends object>(a: T, b: Partial<T>): T {
  const sum = { ...a } as Record<string, unknown>;
  for (const [name, more] of Object.entries(b)) {
    if (typeof more === "number") sum[name] = ((sum[name] as number | undefined) ?? 0) + more;
    else if (isJsonObject(more)) sum[name] = added((sum[name] ?? {}) as object, more);
    else if (more !== undefined) sum[name] = more;
  }
  return sum as T;
}

/** Requests of the service, repeats included, and what came back. */
export interface SentCalls {
  readonly calls: number;
  /** In the bodies of answers; those of refusals and of answers that were cut are not counted. */
  readonly answer_bytes: number;
}

/** Nothing sent yet. */
export const NO_CALLS: SentCalls = { calls: 0, answer_bytes: 0 };

/** What a record sent, without what else it holds. */
export function callsOf({ calls, answer_bytes }: SentCalls): SentCalls {
  return { calls, answer_bytes };
}

/** Adds up what two records sent, without what else they hold. */
export function addedCalls(a: SentCalls, b: SentCalls): SentCalls {
  return added(callsOf(a), callsOf(b));
}
