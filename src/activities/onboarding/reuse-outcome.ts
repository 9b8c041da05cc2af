import type { OutcomeRef } from "../../domain/onboarding/batch/batch-rows.js";
import type { WaitRequest } from "../../domain/onboarding/messages.js";
import { getOutcome, putOutcome } from "../../lake/onboarding/staged-outcomes.js";
import { withHeartbeat } from "../heartbeat.js";
import type { OnboardingDependencies } from "./dependencies.js";

interface ReuseOutcomeInput {
  readonly batchId: string;
  readonly outcome: OutcomeRef;
  /** The row of another batch that is the same to the last value. */
  readonly waiter: WaitRequest;
  readonly version: number;
}

/**
 * Stages a customer's outcome for the same row of another batch, which posted nothing. The row itself, which a later
 * run of its batch asks for, has it staged already.
 */
export async function reuseOutcome(
  deps: OnboardingDependencies,
  { batchId, outcome, waiter, version }: ReuseOutcomeInput,
): Promise<OutcomeRef> {
  return withHeartbeat(async () => {
    const found = await getOutcome(deps.sealed, batchId, outcome);
    const { row, line, attempt } = waiter;
    const name = { row, line, attempt, version };
    if (isSameRow(waiter, batchId, outcome)) return name;
    const event = {
      event: "adopted",
      status: found.status,
      message_id: null,
      at: new Date().toISOString(),
      detail: `from ${batchId}, line ${outcome.line}, attempt ${outcome.attempt}`,
    };
    await putOutcome(deps.sealed, waiter.batchId, { ...found, ...name, events: [event] });
    return name;
  });
}

function isSameRow(waiter: WaitRequest, batchId: string, { line, attempt }: OutcomeRef): boolean {
  return waiter.batchId === batchId && waiter.line === line && waiter.attempt === attempt;
}
