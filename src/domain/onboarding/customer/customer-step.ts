import type { RefusedRequest } from "../../refusals.js";
import type { OpenOutcome, OutcomeRef } from "../batch/batch-rows.js";
import type { CustomerEvent, SessionValidated, WaitRequest } from "../messages.js";
import type { OnboardingTiming } from "../timing.js";
import { type CustomerState, reopened, UNPOSTED } from "./customer-state.js";
import type { PollsSoFar } from "./poll-schedule.js";

/** Which customer an activity works for, without anything personal. */
export interface CustomerRef {
  readonly batchId: string;
  readonly runId: string;
  readonly row: number;
  readonly line: number;
  readonly attempt: number;
  readonly rowKey: string;
  /** Name under which calls are stopped once the credentials were refused; a resumed batch has another one. */
  readonly latch: string;
  /** Its `runs retry` posts anew. */
  readonly retry: boolean;
  /** The onboarding of the attempt before. */
  readonly before: string | null;
  /** ISO instant at which the row began. */
  readonly startedAt: string;
  /** Whether links to go on are handed out. */
  readonly sink: boolean;
}

/** Where the customer stands before a step. */
export interface CustomerStepInput extends CustomerRef {
  readonly state: CustomerState;
  /** The state that the last outcome says. */
  readonly recorded: CustomerState;
}

/** A link that waits, sealed, to be handed out. */
export interface LinkOffer {
  /** From 1; part of its name. */
  readonly number: number;
  /** Epoch milliseconds; null where the service gave no time. */
  readonly expiresAt: number | null;
}

/** What a step of a customer came to. */
export interface CustomerStep {
  readonly state: CustomerState;
  /** The outcome that it staged; null where nothing new is to be said. */
  readonly outcome: OutcomeRef | null;
  readonly link: LinkOffer | null;
  /** The service refused the credentials: nothing was done, and the batch stands still. */
  readonly unauthorized: boolean;
  /** Requests sent. */
  readonly calls: number;
  /** Hash of the error message that the row ended with. */
  readonly messageHash: string | null;
  /** The request that the service refused, where the row ended by that. */
  readonly refused?: RefusedRequest;
}

/** What a customer's workflow was told and has not read, and the ids of webhooks that it knows. */
export interface CarriedMail {
  readonly events: readonly CustomerEvent[];
  readonly sessions: readonly SessionValidated[];
  readonly waiters: readonly WaitRequest[];
  readonly seen: readonly string[];
  readonly stopped: boolean;
}

/** A row of another batch that has this customer's outcomes. */
export interface ReusedRow {
  readonly waiter: WaitRequest;
  /** Of its own outcome. */
  readonly version: number;
}

/** Who waits for a customer: rows that have its outcomes, and rows that wait for it to be over. */
export interface CarriedWaiters {
  readonly reused: readonly ReusedRow[];
  readonly waiting: readonly WaitRequest[];
}

/** How far a customer's workflow is. */
export interface CustomerProgress {
  readonly state: CustomerState;
  /** The state that the last outcome says. */
  readonly recorded: CustomerState;
  readonly link: LinkOffer | null;
  /** The first outcome, until the batch is told of it. */
  readonly first: OutcomeRef | null;
  readonly calls: number;
  readonly messageHash: string | null;
  readonly refused?: RefusedRequest;
  /** Whether the batch was told that the row is processed. */
  readonly told: boolean;
  /** Epoch milliseconds. */
  readonly deadline: number;
  /** Epoch milliseconds. */
  readonly decisionTimeout: number;
}

/** The progress of a customer that begins at this, from nothing or from an onboarding that is posted already. */
export function beginProgress(
  open: OpenOutcome | null,
  timing: OnboardingTiming,
  now: number,
): CustomerProgress {
  const state = open === null ? UNPOSTED : reopened(open);
  return {
    state,
    recorded: state,
    link: null,
    first: null,
    calls: 0,
    messageHash: null,
    told: false,
    deadline: now + timing.deadline,
    decisionTimeout: now + timing.decisionTimeout,
  };
}

/** What a posted customer carries through continue-as-new. */
export interface CarriedCustomer {
  readonly progress: CustomerProgress;
  readonly polls: PollsSoFar;
  readonly mail: CarriedMail;
  readonly waiters: CarriedWaiters;
}
