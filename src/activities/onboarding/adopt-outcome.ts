import type { OutcomeRef } from "../../domain/onboarding/batch-rows.js";
import type { WatchRequest } from "../../domain/onboarding/messages.js";
import { getOutcome, putOutcome } from "../../lake/onboarding/staged-outcomes.js";
import { withHeartbeat } from "../heartbeat.js";
import type { OnboardingDependencies } from "./dependencies.js";

export interface AdoptOutcomeInput {
  readonly batchId: string;
  readonly outcome: OutcomeRef;
  /** The row of another batch that is the same to the last value. */
  readonly watcher: WatchRequest;
  readonly version: number;
}

/** Stages a customer's outcome for the same row of another batch, which posted nothing. */
export async function adoptOutcome(
  deps: OnboardingDependencies,
  { batchId, outcome, watcher, version }: AdoptOutcomeInput,
): Promise<OutcomeRef> {
  return withHeartbeat(async () => {
    const found = await getOutcome(deps.sealed, batchId, outcome);
    const { row, line, attempt } = watcher;
    const event = {
      event: "adopted",
      status: found.status,
      message_id: null,
      at: new Date().toISOString(),
      detail: `from ${batchId}, line ${outcome.line}, attempt ${outcome.attempt}`,
    };
    const name = { row, line, attempt, version };
    await putOutcome(deps.sealed, watcher.batchId, { ...found, ...name, events: [event] });
    return name;
  });
}
