import type { OutcomeRef } from "../../domain/onboarding/batch/batch-rows.js";
import { isSameRow } from "../../domain/onboarding/customer/waiting-rows.js";
import type { WaitRequest } from "../../domain/onboarding/messages.js";
import { adoptedEvent } from "../../domain/onboarding/outcome.js";
import { getOutcome, putOutcome } from "../../lake/onboarding/frozen-batch.js";
import type { OnboardingDependencies } from "./dependencies.js";

interface ReuseOutcomeInput {
  readonly batchId: string;
  readonly outcome: OutcomeRef;
  /** A row of another batch with the same values, or the row itself in a later run of its batch. */
  readonly waiter: WaitRequest;
  readonly version: number;
}

/** Stages a customer's outcome for a row that posted nothing; the row that posted has it staged already. */
export async function reuseOutcome(
  { sealed }: OnboardingDependencies,
  { batchId, outcome, waiter, version }: ReuseOutcomeInput,
): Promise<OutcomeRef> {
  const found = await getOutcome(sealed, batchId, outcome);
  const { row, line, attempt } = waiter;
  const ref = { row, line, attempt, version };
  const from = { batchId, line: outcome.line, attempt: outcome.attempt };
  if (isSameRow(waiter, from)) return ref;
  const events = [adoptedEvent({ ...from, batch_id: batchId }, found.status)];
  await putOutcome(sealed, waiter.batchId, { ...found, ...ref, events });
  return ref;
}
