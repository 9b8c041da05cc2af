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
 * Attempts at a step before its row is given up, about an hour of them (`workflows/policies.ts`), and the
 * milliseconds that must have passed: a machine that was off has lost no attempt, and a service that says how soon
 * it is to be asked again has the hour all the same.
 */
const MOST_ATTEMPTS = 20;
const PATIENCE_MS = 3_600_000;

/** The credentials were refused: the row is as it was. */
export function refusedStep({ state }: CustomerStepInput, calls: number): CustomerStep {
  return { state, outcome: null, link: null, unauthorized: true, calls, messageHash: null };
}

/**
 * Ends a row as `failed` where trying again does not help, or has not for long.
 *
 * @param nextAction what somebody has to do, where the error itself does not say it.
 * @throws the error itself where it is to be tried again, or is none of the row's.
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
  const base = { ...staged, link: null, unauthorized: false, calls };
  if (refused === undefined) return base;
  const { status, message } = refused;
  return { ...base, refused: { status, message } };
}

function nextActionAfter(error: Error): string {
  if (isUnknown(error)) return NEXT_ACTIONS.settle;
  return refusedBy(error) === undefined ? NEXT_ACTIONS.retry : NEXT_ACTIONS.refused;
}

/** The refusal that an error is; undefined where it is none. */
function refusedBy(error: Error): (RefusedRequest & { readonly operation: string }) | undefined {
  if (!(error instanceof RejectedError || error instanceof NotFoundError)) return undefined;
  const { operation, status = 0, said = null } = error;
  return { operation, status, message: said };
}

/** Whether the service may have done what was asked of it. */
function isUnknown(error: Error): boolean {
  return error instanceof LostAnswerError || (error instanceof TransientError && error.sent);
}

function endsRow(error: Error): boolean {
  if (error instanceof RejectedError || error instanceof NotFoundError || error instanceof SchemaError)
    return true;
  if (error instanceof LostAnswerError) return true;
  // What a row holds was refused by our own rules; a wrong key or a torn file names no row.
  if (error instanceof InputError) return false;
  if (!(error instanceof ApiError) || error instanceof NotSentError) return false;
  const { attempt, scheduledTimestampMs } = activityInfo();
  return attempt >= MOST_ATTEMPTS && Date.now() - scheduledTimestampMs >= PATIENCE_MS;
}
