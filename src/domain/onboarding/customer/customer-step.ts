import type { RefusedRequest } from "../../refusals.js";
import type { BatchRow, OutcomeRef, RowInRun, RowToRun } from "../batch/batch-rows.js";
import type { CustomerState } from "./customer-state.js";

/** Which customer an activity works for; nothing personal. */
export interface CustomerRef extends BatchRow, RowInRun, Pick<RowToRun, "retry" | "before"> {
  /** ISO instant at which the row began. */
  readonly startedAt: string;
}

export interface CustomerStepInput extends CustomerRef {
  readonly state: CustomerState;
  /** The state that the last outcome says. */
  readonly recorded: CustomerState;
  /** The tries of this step that failed; `since` in epoch milliseconds. */
  readonly tries: { readonly times: number; readonly since: number };
}

/** A continuation that is sealed and waits to be delivered. */
export interface LinkOffer {
  /** From 1; part of its name. */
  readonly number: number;
  /** Epoch milliseconds; null where the service gave no time. */
  readonly expiresAt: number | null;
}

export interface StagedState {
  readonly state: CustomerState;
  /** Null where there is nothing new to say. */
  readonly outcome: OutcomeRef | null;
  /** Hash of the error message that the row ended with. */
  readonly messageHash: string | null;
}

export interface CustomerStep extends StagedState {
  readonly link: LinkOffer | null;
  /** The service refused the credentials: nothing was done, and the batch pauses. */
  readonly unauthorized: boolean;
  readonly calls: number;
  readonly refused?: RefusedRequest;
}

export interface StepFailure {
  readonly error_class: string;
  readonly error_message: string;
}

/** A step that changed the state in memory only: it staged nothing. */
export function unstagedStep(state: CustomerState, calls: number, unauthorized = false): CustomerStep {
  return { state, outcome: null, messageHash: null, link: null, unauthorized, calls };
}
