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
import {
  afterEvents,
  afterReport,
  type CustomerState,
  type OnboardingReport,
  rowStatus,
} from "../../../domain/onboarding/customer/customer-state.js";
import type {
  CustomerStep,
  CustomerStepInput,
  TakenNews,
} from "../../../domain/onboarding/customer/open-customer.js";
import { type OutcomeEvent, outcomeEvent } from "../../../domain/onboarding/outcome.js";
import { maskedId } from "../../../domain/service/external-id.js";
import { countedCalls } from "../../slice.js";
import type { OnboardingDependencies } from "../dependencies.js";
import { answeredStep, reportOf } from "./stage-outcome.js";

/** Tries of a poll. After the last one, only the messages that led to it count. */
const MOST_TRIES = 4;

/**
 * Polls an onboarding, and applies the answer and the messages that led to the poll: none where its time had come (
 * docs/reference/service.md, "Onboarding lookup").
 */
export async function pollOnboarding(
  given: OnboardingDependencies,
  input: CustomerStepInput,
  news: TakenNews,
): Promise<CustomerStep> {
  const counted = countedCalls(given);
  let found: Onboarding | null;
  try {
    found = await read(counted.deps, input);
  } catch (error) {
    if (error instanceof AuthError) return { state: input.state, calls: counted.calls, unauthorized: true };
    throw error;
  }
  const state = stateAfter(input.state, news, found === null ? null : reportOf(found));
  return answeredStep(counted, input, state, found, { events: eventsOf(news, state) });
}

async function read(
  deps: OnboardingDependencies,
  { state, tries }: CustomerStepInput,
): Promise<Onboarding | null> {
  const params = { path: { id: state.onboardingId ?? "" } };
  try {
    return await deps.api.read(getOnboarding, params, { signal: cancellationSignal() });
  } catch (error) {
    if (!(error instanceof ApiError) || error instanceof AuthError) throw error;
    const mayPass = [TransientError, RateLimitedError, NotSentError].some((kind) => error instanceof kind);
    if (mayPass && tries.times + 1 < MOST_TRIES) throw error;
    if (error instanceof AnotherSubjectError) {
      deps.log.warn(
        { onboarding: maskedId(params.path.id), ...error.mismatch },
        "a poll was about another onboarding",
      );
    }
    return null;
  }
}

function stateAfter(
  state: CustomerState,
  { events, sessions }: TakenNews,
  report: OnboardingReport | null,
): CustomerState {
  const validated = sessions.reduce(
    (now, session) => afterReport(now, { ...session, hasOutput: false }, "validation"),
    state,
  );
  if (events.length > 0) return afterEvents(validated, events, report);
  return report === null
    ? validated
    : afterReport(validated, report, sessions.length > 0 ? "validation" : "poll");
}

function eventsOf({ events, sessions }: TakenNews, state: CustomerState): OutcomeEvent[] {
  if (events.length + sessions.length === 0) return [outcomeEvent("looked", rowStatus(state))];
  const webhooks = events.map(({ kind, status, messageId, at }) =>
    outcomeEvent(kind, status, {
      message_id: messageId,
      ...(at !== null && { at: new Date(at).toISOString() }),
    }),
  );
  return [...webhooks, ...sessions.map(({ status }) => outcomeEvent("validated", status))];
}
