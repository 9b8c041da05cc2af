import type { CustomerRef } from "../../domain/onboarding/customer-step.js";
import { callState } from "../calls/call-record.js";
import type { Dependencies } from "../dependencies.js";

/**
 * Where the onboarding of a row is kept. Named by the row's key and not by its batch, so that the same row in two
 * batches is posted once, also in the seconds before the first one's outcome stands in the table. A retry posts
 * anew, unless a request of an attempt before is not settled: then that is settled first.
 */
export async function onboardingPrefix(deps: Dependencies, ref: CustomerRef): Promise<string> {
  const { rowKey, attempt, retry } = ref;
  const prefixOf = (name: string | number) => `_staging/onboarding-calls/${rowKey}/${name}/`;
  if (!retry) return prefixOf("first");
  const own = prefixOf(attempt);
  // Decided once: a repetition must not take a request that it has settled itself for that of another attempt.
  const decision = `${own}prefix`;
  const decided = await deps.sealed.get<string>(decision);
  if (decided !== undefined) return decided;
  const earlier = ["first", ...Array.from({ length: attempt - 1 }, (_, at) => at + 1)].map(prefixOf);
  const states = await Promise.all(earlier.map((prefix) => callState(deps.sealed, prefix)));
  await deps.sealed.putIfAbsent(decision, earlier[states.indexOf("sent")] ?? own);
  return deps.sealed.require<string>(decision);
}

/** Where the calls that make a row's business are kept: it is made once, however often the row is run. */
export function businessPrefix({ rowKey }: Pick<CustomerRef, "rowKey">): string {
  return `_staging/onboarding-calls/${rowKey}/business/`;
}
