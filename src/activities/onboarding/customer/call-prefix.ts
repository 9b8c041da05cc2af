import type { CustomerRef } from "../../../domain/onboarding/batch/batch-state.js";
import { callsPrefix } from "../../../lake/onboarding/call-notes.js";
import { keptOutcome } from "../../../lake/onboarding/frozen-batch.js";
import { answerKey, callState, type KeptAnswer } from "../../calls/call-record.js";
import type { StartedOnboarding } from "../../calls/onboarding-resolution.js";
import type { OnboardingDependencies } from "../dependencies.js";

/**
 * The call that posts a row, named by the row's key: the same row in two batches is posted once, also before the
 * table has its first outcome. A retry posts again, unless an earlier attempt's call is unresolved, or its
 * answer is in no outcome: then it continues that.
 */
export async function onboardingPrefix(deps: OnboardingDependencies, ref: CustomerRef): Promise<string> {
  const { rowKey, attempt, retry } = ref;
  if (!retry) return prefixOf(rowKey, "first");
  const own = prefixOf(rowKey, attempt);
  // Decides once: a repetition must not take its own call for another attempt's.
  const decision = decisionOf(deps, own);
  return (await decision.find()) ?? decision.putIfAbsent((await earlierCalls(deps, ref)).open ?? own);
}

/**
 * Whether a retry by external id alone would get an old onboarding again, and no earlier call is left to
 * continue.
 */
export async function isSpent(deps: OnboardingDependencies, ref: CustomerRef): Promise<boolean> {
  if (await decisionOf(deps, prefixOf(ref.rowKey, ref.attempt)).has()) return false;
  const { open, isAnswered } = await earlierCalls(deps, ref);
  return open === undefined && (isAnswered || ref.before !== null);
}

const prefixOf = (rowKey: string, name: string | number) => `${callsPrefix(rowKey)}${name}/`;
const attemptsBefore = ({ attempt }: CustomerRef) => Array.from({ length: attempt - 1 }, (_, at) => at + 1);
const decisionOf = ({ sealed }: OnboardingDependencies, prefix: string) =>
  sealed.kept<string>(`${prefix}prefix`);

async function earlierCalls(deps: OnboardingDependencies, ref: CustomerRef) {
  const earlier = ["first", ...attemptsBefore(ref)].map((name) => prefixOf(ref.rowKey, name));
  const states = await Promise.all(earlier.map((prefix) => callState(deps.sealed, prefix)));
  const answered = earlier.filter((_, at) => states[at] === "answered").reverse();
  const open = earlier[states.indexOf("sent")] ?? (await unrecorded(deps, ref, answered));
  return { open, isAnswered: answered.length > 0 };
}

/** The first call whose onboarding is in no outcome. */
async function unrecorded(
  { sealed }: OnboardingDependencies,
  ref: CustomerRef,
  answered: readonly string[],
): Promise<string | undefined> {
  const { batchId, line, before } = ref;
  if (before !== null || answered.length === 0) return undefined;
  const outcomes = await Promise.all(
    attemptsBefore(ref).map((attempt) => keptOutcome(sealed, batchId, { line, attempt, version: 1 }).find()),
  );
  const recorded = new Set(outcomes.map((outcome) => outcome?.onboarding_id));
  for (const prefix of answered) {
    const { body } = await sealed.require<KeptAnswer<StartedOnboarding>>(answerKey(prefix));
    if (!recorded.has(body.id)) return prefix;
  }
  return undefined;
}
