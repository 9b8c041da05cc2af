import { activityInfo } from "@temporalio/activity";
import {
  ApiError,
  NotFoundError,
  NotSentError,
  RejectedError,
  SchemaError,
  TransientError,
} from "../../../api/http/errors.js";
import { InputError } from "../../../domain/failures.js";
import { afterFailure } from "../../../domain/onboarding/customer/customer-state.js";
import type { CustomerStep, CustomerStepInput } from "../../../domain/onboarding/customer/customer-step.js";
import { NEXT_ACTIONS } from "../../../domain/onboarding/customer/next-action.js";
import type { RefusedRequest } from "../../../domain/refusals.js";
import type { CountedCalls } from "../../counted-calls.js";
import { LostAnswerError } from "../../lost-answer-error.js";
import type { OnboardingDependencies } from "../dependencies.js";
import { stageOutcome } from "../stage-outcome.js";

/**
 * A step fails for good after this many attempts, which take about an hour (`workflows/policies.ts`), and not before
 * this many milliseconds: a machine that was off loses no attempt, and a service that asks for quick retries still has
 * its hour.
 */
const MOST_ATTEMPTS = 20;
const SHORTEST_MS = 3_600_000;

/**
 * Ends a row as `failed` where another attempt will not help, or where many have not helped.
 *
 * @param nextAction what somebody has to do, where the error does not say it.
 * @throws the error itself where the step should be tried again, or where it is not the row's.
 */
export async function failedStep(
  { deps, calls }: CountedCalls<OnboardingDependencies>,
  input: CustomerStepInput,
  error: unknown,
  nextAction?: string,
): Promise<CustomerStep> {
  if (!(error instanceof Error) || !endsRow(error)) throw error;
  const refused = refusedBy(error);
  const staged = await stageOutcome(deps, input, afterFailure(input.state), {
    error_class: error.name,
    error_message: error.message,
    next_action: nextAction ?? nextActionAfter(error),
    ...(refused && { trouble: `${refused.operation}: ${refused.status}` }),
  });
  const { status, message } = refused ?? {};
  return {
    ...staged,
    link: null,
    unauthorized: false,
    calls,
    ...(status !== undefined && message !== undefined && { refused: { status, message } }),
  };
}

function nextActionAfter(error: Error): string {
  const mayHaveWorked = error instanceof LostAnswerError || (error instanceof TransientError && error.sent);
  if (mayHaveWorked) return NEXT_ACTIONS.check;
  return refusedBy(error) === undefined ? NEXT_ACTIONS.retry : NEXT_ACTIONS.refused;
}

/** The service's refusal, where the error is one. */
function refusedBy(error: Error): (RefusedRequest & { readonly operation: string }) | undefined {
  if (!(error instanceof RejectedError || error instanceof NotFoundError)) return undefined;
  const { operation, status = 0, said = null } = error;
  return { operation, status, message: said };
}

function endsRow(error: Error): boolean {
  const kinds = [RejectedError, NotFoundError, SchemaError, LostAnswerError];
  if (kinds.some((kind) => error instanceof kind)) return true;
  // An InputError is not about the row: it means a wrong key or a torn file.
  if (error instanceof InputError) return false;
  if (!(error instanceof ApiError) || error instanceof NotSentError) return false;
  const { attempt, scheduledTimestampMs } = activityInfo();
  return attempt >= MOST_ATTEMPTS && Date.now() - scheduledTimestampMs >= SHORTEST_MS;
}
