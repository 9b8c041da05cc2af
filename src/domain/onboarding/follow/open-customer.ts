import type { CustomerReport, OutcomeRef } from "../batch/batch-rows.js";
import type { CustomerInput } from "../customer/customer-input.js";
import { type Customer, isWoken, newCustomer, wakeAt } from "../customer/customer-progress.js";
import { type ReusedRow, successorOf } from "../customer/waiting-rows.js";

/** The tries of a step that failed and is tried again; none after a step that succeeded. */
interface Tries {
  readonly times: number;
  /** Epoch milliseconds of the first one's failure. */
  readonly since: number;
  /** Epoch milliseconds before which it is not tried again. */
  readonly notBefore: number;
}

export const NO_TRIES: Tries = { times: 0, since: 0, notBefore: 0 };

/** A row of a batch that is not finished, as it is kept between its steps. */
export interface OpenCustomer {
  readonly input: CustomerInput;
  readonly customer: Customer;
  /** Whether its onboarding was posted, and the answer is applied. */
  readonly posted: boolean;
  readonly tries: Tries;
  /** How often it was asked for an output that was missing when it ended, and in how many calls; null before its end. */
  readonly output: { readonly polls: number; readonly calls: number; readonly dueAt: number } | null;
}

/** A row as its batch has just handed it over. */
export function openCustomer(input: CustomerInput, now: number): OpenCustomer {
  const customer = newCustomer(input.open, input.timing, now);
  return { input, customer, posted: input.open !== null, tries: NO_TRIES, output: null };
}

/** Epoch milliseconds at which a row has something to do. */
export function dueAt({ input, customer, posted, tries, output }: OpenCustomer): number {
  const { mail, progress } = customer;
  if (mail.stops.length > 0) return 0;
  if (output !== null) return mail.waiters.length > 0 ? 0 : Math.max(output.dueAt, tries.notBefore);
  const isReady = !posted || isWoken(customer) || progress.link !== null;
  return Math.max(tries.notBefore, isReady ? 0 : wakeAt(customer, input.timing));
}

/** Longest wait before a failed step is tried again. */
const LONGEST_WAIT_MS = 300_000;

/** Counts a failure; `wait`, where the service says it, in milliseconds. */
export function afterTry(tries: Tries, now: number, wait?: number): Tries {
  const growing = Math.min(LONGEST_WAIT_MS, 1_000 * 2 ** Math.min(tries.times, 20));
  return {
    times: tries.times + 1,
    since: tries.times === 0 ? now : tries.since,
    notBefore: now + (wait ?? growing),
  };
}

/** The same onboarding for the row that has reused its outcomes longest: the deadline and the polls stay. */
export function inherited(one: OpenCustomer): OpenCustomer {
  const { input, customer } = one;
  const successor = successorOf(customer.waiters);
  return successor === undefined ? one : { ...one, ...inheritedBy(successor, input, customer) };
}

function inheritedBy({ waiter, version }: ReusedRow, input: CustomerInput, customer: Customer) {
  const { open: _, ...row } = waiter;
  const { progress, waiters } = customer;
  const { state, recorded } = progress;
  return {
    input: { ...input, ...row },
    customer: {
      ...customer,
      progress: { ...progress, state: { ...state, version }, recorded: { ...recorded, version } },
      waiters: { ...waiters, reused: waiters.reused.slice(1) },
      stopped: false,
    },
  };
}

/** A report to the workflow of a batch. */
export interface AddressedReport {
  readonly batchWorkflowId: string;
  readonly report: CustomerReport;
}

/** A staged outcome that its row's batch does not write itself. */
export interface OutcomeToRecord {
  readonly batchId: string;
  readonly runId: string;
  readonly plainOutput: boolean;
  readonly outcome: OutcomeRef;
}
