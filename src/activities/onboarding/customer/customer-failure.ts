import {
  AnotherSubjectError,
  ApiError,
  AuthError,
  isRefusal,
  NotSentError,
  RateLimitedError,
  SchemaError,
  TransientError,
} from "../../../api/http/errors.js";
import { updateVault, uploadToVault } from "../../../api/operations/vault.js";
import { triesOf } from "../../../domain/backoff.js";
import type { SentCalls } from "../../../domain/counts.js";
import { ANOTHER_SUBJECT, InputError } from "../../../domain/failures.js";
import { afterFailure } from "../../../domain/onboarding/customer/customer-state.js";
import { NEXT_ACTIONS } from "../../../domain/onboarding/customer/next-action.js";
import {
  type CustomerStep,
  type OpenCustomer,
  ROW_RETRY,
} from "../../../domain/onboarding/customer/open-customer.js";
import { LostAnswerError, refusedBy } from "../../failure.js";
import { countedCalls } from "../../slice.js";
import type { OnboardingDependencies } from "../dependencies.js";
import { stageOutcome } from "./stage-outcome.js";

/**
 * Runs a step of a row. Refused credentials change nothing and are told; the row ends as `failed` where another attempt
 * will not help, or many have not.
 *
 * @param withheld values that no error message may quote
 * @param nextAction what to do about an error, where that does not tell it itself
 * @throws the error itself where the step should be tried again, or where it is not the row's.
 */
export async function rowStep(
  given: OnboardingDependencies,
  one: OpenCustomer,
  withheld: unknown,
  work: (deps: OnboardingDependencies) => Promise<Omit<CustomerStep, keyof SentCalls>>,
  nextAction: () => Promise<string | undefined> = async () => undefined,
): Promise<CustomerStep> {
  const counted = countedCalls(given, withheld);
  try {
    const done = await work(counted.deps);
    return { ...done, ...counted.sent };
  } catch (error) {
    if (error instanceof AuthError && !isTokenRefused(error)) {
      if (error.sent) given.warnings.once(one.input.authEpoch, "unauthorized", {}, error.message);
      return { state: one.state, ...counted.sent, unauthorized: error.mayNot ?? true };
    }
    const action = await nextAction();
    if (!(error instanceof Error) || !endsRow(error, one.tries)) throw error;
    const refusal = isRefusal(error) ? error : undefined;
    const staged = await stageOutcome(given, one, afterFailure(one.state), {
      error_class: error.name,
      error_message: error.message,
      next_action: action ?? nextActionAfter(error),
      ...(error instanceof AnotherSubjectError && { trouble: `${error.operation}: ${ANOTHER_SUBJECT}` }),
      ...(refusal && { trouble: `${refusal.operation}: ${refusal.status ?? 0}` }),
    });
    return { ...staged, ...counted.sent, ...(refusal && { refused: refusedBy(refusal) }) };
  }
}

/** Whether the service refused a client token: then the row has failed, and the key that made the token is good. */
function isTokenRefused({ operation }: AuthError): boolean {
  return operation === updateVault.name || operation === uploadToVault.name;
}

function nextActionAfter(error: Error): string {
  const isOthers = error instanceof AnotherSubjectError;
  const mayHaveWorked =
    isOthers || error instanceof LostAnswerError || (error instanceof TransientError && error.sent);
  if (mayHaveWorked) return NEXT_ACTIONS.check;
  return isRefusal(error) ? NEXT_ACTIONS.refused : NEXT_ACTIONS.retry;
}

function endsRow(error: Error, { times, since }: OpenCustomer["tries"]): boolean {
  const final = [SchemaError, AnotherSubjectError, LostAnswerError];
  if (isRefusal(error) || final.some((kind) => error instanceof kind)) return true;
  // Ends the row too, but after its step: it may mean a wrong key or a torn file instead of the row.
  if (error instanceof InputError) return false;
  if (!(error instanceof ApiError) || error instanceof NotSentError) return false;
  if (error instanceof RateLimitedError && error.isFinal) return true;
  // A machine that was off loses no try, and a service that asks for quick ones still has its hour.
  return times + 1 >= triesOf(ROW_RETRY) && Date.now() - since >= ROW_RETRY.until;
}
