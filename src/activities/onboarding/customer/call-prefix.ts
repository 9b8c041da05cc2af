import type { CustomerRef } from "../../../domain/onboarding/customer/customer-step.js";
import { findOutcome } from "../../../lake/onboarding/staged-outcomes.js";
import { answerKey, callState, type KeptAnswer } from "../../calls/call-record.js";
import type { StartedOnboarding } from "../../calls/onboarding-settlement.js";
import type { OnboardingDependencies } from "../dependencies.js";

/**
 * Where the onboarding of a row is kept. Named by the row's key and not by its batch, so that the same row in two
 * batches is posted once, also in the seconds before the first one's outcome stands in the table. A retry posts
 * anew, unless a request of an attempt before is not settled, or its answer came and no outcome ever told of it:
 * then that is this attempt's.
 */
export async function onboardingPrefix(deps: OnboardingDependencies, ref: CustomerRef): Promise<string> {
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
  const answered = earlier.filter((_, at) => states[at] === "answered").reverse();
  const open = earlier[states.indexOf("sent")] ?? (await untold(deps, ref, answered));
  await deps.sealed.putIfAbsent(decision, open ?? own);
  return deps.sealed.require<string>(decision);
}

/** The first of these whose onboarding stands in no outcome: the attempt before was ended between the two. */
async function untold(
  { sealed }: OnboardingDependencies,
  { batchId, line, attempt, before }: CustomerRef,
  answered: readonly string[],
): Promise<string | undefined> {
  if (before !== null || answered.length === 0) return undefined;
  const attempts = Array.from({ length: attempt - 1 }, (_, at) => at + 1);
  const outcomes = await Promise.all(
    attempts.map((one) => findOutcome(sealed, batchId, { line, attempt: one, version: 1 })),
  );
  const told = new Set(outcomes.map((outcome) => outcome?.onboarding_id));
  for (const prefix of answered) {
    const { body } = await sealed.require<KeptAnswer<StartedOnboarding>>(answerKey(prefix));
    if (!told.has(body.id)) return prefix;
  }
  return undefined;
}

/** Where the calls that make a row's business are kept: it is made once, however often the row is run. */
export function businessPrefix({ rowKey }: Pick<CustomerRef, "rowKey">): string {
  return `_staging/onboarding-calls/${rowKey}/business/`;
}
