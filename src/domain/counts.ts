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

/** Adds up what two records sent, without what else they hold. */
export function addedCalls(a: SentCalls, { calls, answer_bytes }: SentCalls): SentCalls {
  return added({ calls: a.calls, answer_bytes: a.answer_bytes }, { calls, answer_bytes });
}

/** Requests to the bucket that a lake is in: `GET` and `HEAD`, listings too, and all others. */
export interface LakeRequests {
  readonly reads: number;
  readonly writes: number;
}

/** What an activity says of its requests; left out where the lake is in no bucket. */
export interface CountedRequests {
  readonly lake_requests?: LakeRequests;
}
