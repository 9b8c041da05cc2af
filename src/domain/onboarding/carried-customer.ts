import type { OutcomeRef } from "./batch-rows.js";
import type { CustomerCourse } from "./customer-state.js";
import type { LinkOffer } from "./customer-step.js";
import type { CustomerEvent, SessionValidated, WatchRequest } from "./messages.js";
import type { LooksSoFar } from "./poll-schedule.js";

/** What a customer's workflow was told and has not read, and the ids of webhooks that it knows. */
export interface CarriedMail {
  readonly events: readonly CustomerEvent[];
  readonly sessions: readonly SessionValidated[];
  readonly watchers: readonly WatchRequest[];
  readonly seen: readonly string[];
  readonly stopped: boolean;
}

/** A row of another batch that has this customer's outcomes. */
export interface AdoptedRow {
  readonly watcher: WatchRequest;
  /** Of its own outcome. */
  readonly version: number;
}

/** Who watches a customer: rows that have its outcomes, and rows that wait for it to be over. */
export interface CarriedWatchers {
  readonly adopted: readonly AdoptedRow[];
  readonly waiting: readonly WatchRequest[];
}

/** What a posted customer carries through continue-as-new. */
export interface CarriedCustomer {
  readonly course: CustomerCourse;
  /** The course that the last outcome says. */
  readonly written: CustomerCourse;
  readonly link: LinkOffer | null;
  /** The first outcome, until the batch is told of it. */
  readonly first: OutcomeRef | null;
  readonly calls: number;
  readonly messageHash: string | null;
  /** Whether the batch was told that the row is machine done. */
  readonly told: boolean;
  readonly looks: LooksSoFar;
  /** Epoch milliseconds. */
  readonly deadline: number;
  /** Epoch milliseconds. */
  readonly patience: number;
  readonly mail: CarriedMail;
  readonly watchers: CarriedWatchers;
}
