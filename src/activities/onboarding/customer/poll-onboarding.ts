import { activityInfo, cancellationSignal } from "@temporalio/activity";
import {
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
import type { CustomerStep, CustomerStepInput } from "../../../domain/onboarding/customer/customer-step.js";
import type { CustomerEvent, SessionValidated } from "../../../domain/onboarding/messages.js";
import type { OutcomeEvent, SettledBy } from "../../../domain/onboarding/outcome.js";
import { countedCalls } from "../../counted-calls.js";
import { withHeartbeat } from "../../heartbeat.js";
import type { OnboardingDependencies } from "../dependencies.js";
import { stageOutcome } from "../stage-outcome.js";
import { offerLink } from "./continuations.js";
import { refusedStep } from "./customer-failure.js";

interface PollOnboardingInput extends CustomerStepInput {
  /** What led to the poll: webhooks and validated sessions; none, it is a poll. */
  readonly events: readonly CustomerEvent[];
  readonly sessions: readonly SessionValidated[];
}

/** Attempts at a poll before the messages that led to it have to do. */
const MOST_ATTEMPTS = 4;

/**
 * Reads how an onboarding stands, and what that and the messages that led here make of it: the read counts,
 * and a message where the read knows no decision yet (`GET /onboardings/{id}`,
 * docs/reference/service.md, "Onboarding lookup").
 */
export async function pollOnboarding(
  given: OnboardingDependencies,
  input: PollOnboardingInput,
): Promise<CustomerStep> {
  return withHeartbeat(async () => {
    const counted = countedCalls(given);
    const { deps } = counted;
    let found: Onboarding | null;
    try {
      found = await read(deps, input);
    } catch (error) {
      if (error instanceof AuthError) return refusedStep(input, counted.calls);
      throw error;
    }
    const polled = stateAfter(input, found === null ? null : reportOf(found));
    const { state, link } = await offerLink(deps, input, polled, found?.continue_onboarding);
    const staged = await stageOutcome(deps, input, state, {
      answer: found,
      events: eventsOf(input, state),
    });
    return { ...staged, link, unauthorized: false, calls: counted.calls };
  });
}

// Null where it can't be read: what the messages say is then all there is.
async function read(
  deps: OnboardingDependencies,
  { state }: PollOnboardingInput,
): Promise<Onboarding | null> {
  try {
    return await deps.api.read(
      getOnboarding,
      { path: { id: state.onboardingId ?? "" } },
      {
        signal: cancellationSignal(),
      },
    );
  } catch (error) {
    if (!(error instanceof ApiError) || error instanceof AuthError) throw error;
    const kinds = [TransientError, RateLimitedError, NotSentError];
    const again = kinds.some((kind) => error instanceof kind);
    if (again && activityInfo().attempt < MOST_ATTEMPTS) throw error;
    return null;
  }
}

function stateAfter(input: PollOnboardingInput, report: OnboardingReport | null): CustomerState {
  let state = input.state;
  for (const session of input.sessions) {
    state = afterReport(state, { ...session, hasOutput: false }, "validation");
  }
  if (input.events.length > 0) return afterEvents(state, input.events, report);
  const by: SettledBy = input.sessions.length > 0 ? "validation" : "poll";
  return report === null ? state : afterReport(state, report, by);
}

function reportOf({ id, status, requires_manual_review, output }: Onboarding): OnboardingReport {
  return {
    onboardingId: id ?? null,
    status: status ?? null,
    requiresManualReview: requires_manual_review ?? null,
    hasOutput: output != null,
  };
}

function eventsOf({ events, sessions }: PollOnboardingInput, state: CustomerState): OutcomeEvent[] {
  const at = (given: number | null) => new Date(given ?? Date.now()).toISOString();
  return [
    ...events.map((event) => ({
      event: event.kind,
      status: event.status,
      message_id: event.messageId,
      at: at(event.at),
      detail: null,
    })),
    ...sessions.map(({ status }) => ({
      event: "validated",
      status,
      message_id: null,
      at: at(null),
      detail: null,
    })),
    ...(events.length + sessions.length === 0
      ? [{ event: "looked", status: rowStatus(state), message_id: null, at: at(null), detail: null }]
      : []),
  ];
}
