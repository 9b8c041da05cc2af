import type { OutcomeRef } from "./batch-rows.js";
import type { CustomerCourse } from "./customer-state.js";

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
export interface CustomerStand extends CustomerRef {
  readonly course: CustomerCourse;
  /** The course that the last outcome says. */
  readonly written: CustomerCourse;
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
  readonly course: CustomerCourse;
  /** The outcome that it staged; null where nothing new is to be said. */
  readonly outcome: OutcomeRef | null;
  readonly link: LinkOffer | null;
  /** The service refused the credentials: nothing was done, and the batch stands still. */
  readonly unauthorized: boolean;
  /** Requests sent. */
  readonly calls: number;
  /** Hash of the error message that the row ended with. */
  readonly messageHash: string | null;
}
