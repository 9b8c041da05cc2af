import { cancellationSignal } from "@temporalio/activity";
import {
  AnotherSubjectError,
  ApiError,
  AuthError,
  NotSentError,
  RateLimitedError,
  TransientError,
} from "../../../api/http/errors.js";
import { getOnboarding } from "../../../api/operations/onboarding.js";
import type { Onboarding } from "../../../api/schemas/onboarding.js";
import { type RetryPolicy, triesOf } from "../../../domain/backoff.js";
import { SECOND } from "../../../domain/duration.js";
import type { Unauthorized } from "../../../domain/failures.js";
import {
  afterPoll,
  type CustomerState,
  rowStatus,
} from "../../../domain/onboarding/customer/customer-state.js";
import { type OpenCustomer, ROW_RETRY } from "../../../domain/onboarding/customer/open-customer.js";
import type { CustomerEvent } from "../../../domain/onboarding/messages.js";
import { type OutcomeEvent, outcomeEvent } from "../../../domain/onboarding/outcome.js";
import { maskedId } from "../../../domain/service/external-id.js";
import type { OnboardingDependencies } from "../dependencies.js";
import { applyAnswer, reportOf } from "./apply-answer.js";
import type { RowInWork } from "./row-in-work.js";

const RETRY: RetryPolicy = { ...ROW_RETRY, until: 7 * SECOND };

/**
 * Polls an onboarding, and applies the answer and the news that led to the poll, if any
 * (docs/reference/service.md, "Onboarding lookup").
 */
export function pollOnboarding(
  row: RowInWork,
  news: readonly CustomerEvent[],
): Promise<Unauthorized | undefined> {
  return row.call(undefined, async (deps) => {
    const answer = await read(deps, row.one);
    const state = afterPoll(row.one.state, news, answer === null ? null : reportOf(answer));
    await applyAnswer(row, state, answer, { events: eventsOf(news, state) });
  });
}

async function read(
  deps: OnboardingDependencies,
  { state, tries }: OpenCustomer,
): Promise<Onboarding | null> {
  const params = { path: { id: state.onboardingId ?? "" } };
  try {
    return await deps.api.read(getOnboarding, params, { signal: cancellationSignal() });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    // Where the key is good, the service refuses this onboarding alone.
    if (error instanceof AuthError && (await deps.api.isKeyRefused().catch(() => true))) throw error;
    const mayPass = [TransientError, RateLimitedError, NotSentError].some((kind) => error instanceof kind);
    const isLong = error instanceof RateLimitedError && error.isFinal;
    if (mayPass && !isLong && tries.times + 1 < triesOf(RETRY)) throw error;
    if (error instanceof AnotherSubjectError) {
      deps.log.warn(
        { onboarding: maskedId(params.path.id), ...error.mismatch },
        "a poll was about another onboarding",
      );
    }
    return null;
  }
}

function eventsOf(news: readonly CustomerEvent[], state: CustomerState): OutcomeEvent[] {
  if (news.length === 0) return [outcomeEvent("looked", rowStatus(state))];
  return news.map(({ kind, status, messageId, at }) =>
    outcomeEvent(kind, status, {
      message_id: messageId,
      ...(at !== null && { at: new Date(at).toISOString() }),
    }),
  );
}
