import {
  AnotherSubjectError,
  ApiError,
  type AuthError,
  isRefusal,
  NotSentError,
  RateLimitedError,
  SchemaError,
  TransientError,
} from "../../../api/http/errors.js";
import { updateVault, uploadToVault } from "../../../api/operations/vault.js";
import { triesOf } from "../../../domain/backoff.js";
import { ANOTHER_SUBJECT, InputError } from "../../../domain/failures.js";
import type { OutcomeFacts } from "../../../domain/onboarding/customer/new-outcome.js";
import { NEXT_ACTIONS } from "../../../domain/onboarding/customer/next-action.js";
import { type OpenCustomer, ROW_RETRY } from "../../../domain/onboarding/customer/open-customer.js";
import { LostAnswerError, refusedBy } from "../../failure.js";

export interface CallFailure extends OutcomeFacts, Pick<OpenCustomer, "refused"> {}

/** How a failed call ends its row; undefined where another try may help, or the error is not the row's. */
export function failureOf(error: Error, { tries }: OpenCustomer, advice?: string): CallFailure | undefined {
  if (!endsRow(error, tries)) return undefined;
  const failure = {
    error_class: error.name,
    error_message: error.message,
    next_action: advice ?? nextActionAfter(error),
    events: [],
  };
  if (error instanceof AnotherSubjectError)
    return { ...failure, trouble: `${error.operation}: ${ANOTHER_SUBJECT}` };
  if (!isRefusal(error)) return failure;
  return { ...failure, trouble: `${error.operation}: ${error.status ?? 0}`, refused: refusedBy(error) };
}

/** Whether the service refused a client token: that fails the row, and says nothing of the key. */
export function isTokenRefused({ operation }: AuthError): boolean {
  return operation === updateVault.name || operation === uploadToVault.name;
}

function nextActionAfter(error: Error): string {
  const isOthers = error instanceof AnotherSubjectError;
  const mayHaveWorked =
    isOthers || error instanceof LostAnswerError || (error instanceof TransientError && error.sent);
  if (mayHaveWorked) return NEXT_ACTIONS.check;
  return isRefusal(error) ? NEXT_ACTIONS.refused : NEXT_ACTIONS.failed;
}

function endsRow(error: Error, { times, since }: OpenCustomer["tries"]): boolean {
  const final = [SchemaError, AnotherSubjectError, LostAnswerError];
  if (isRefusal(error) || final.some((kind) => error instanceof kind)) return true;
  // Ends the row later: it may mean a wrong key or a torn file.
  if (error instanceof InputError) return false;
  if (!(error instanceof ApiError) || error instanceof NotSentError) return false;
  if (error instanceof RateLimitedError && error.isFinal) return true;
  // A machine that was off loses no try, and a service that asks for quick ones has its hour.
  return times + 1 >= triesOf(ROW_RETRY) && Date.now() - since >= ROW_RETRY.until;
}
