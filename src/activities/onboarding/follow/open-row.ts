import { callsOf, NO_CALLS } from "../../../domain/counts.js";
import { DAY, HOUR } from "../../../domain/duration.js";
import type { Unauthorized } from "../../../domain/failures.js";
import {
  afterDeadline,
  afterDecisionTimeout,
  afterFailure,
  afterLink,
  afterStop,
  type CustomerState,
  rowVerdict,
  withoutLink,
} from "../../../domain/onboarding/customer/customer-state.js";
import type { OutcomeFacts } from "../../../domain/onboarding/customer/new-outcome.js";
import {
  afterTry,
  dueStep,
  hasLinkEnded,
  isOutputAwaited,
  isOverdue,
  isPosted,
  NO_TRIES,
  newsTaken,
  type OpenCustomer,
} from "../../../domain/onboarding/customer/open-customer.js";
import { withPoll } from "../../../domain/onboarding/customer/poll-schedule.js";
import type { CustomerEvent } from "../../../domain/onboarding/messages.js";
import { outcomeEvent } from "../../../domain/onboarding/outcome.js";
import { callState } from "../../calls/call-record.js";
import { onboardingPrefix } from "../customer/call-prefix.js";
import type { CallFailure } from "../customer/customer-failure.js";
import { deliverLink } from "../customer/deliver-continuation.js";
import { pollOnboarding } from "../customer/poll-onboarding.js";
import { postOnboarding } from "../customer/post-onboarding.js";
import { prepareCustomer } from "../customer/prepare-customer.js";
import type { RowInWork } from "../customer/row-in-work.js";

const UNANSWERED: OutcomeFacts = {
  error_class: "InterruptedError",
  error_message:
    "the batch was cancelled before the service answered the request, so it is not known whether the service carried it out; runs retry looks for it before it sends anything",
};

/** Does what is due for a row; null where it is finished. */
export async function step(row: RowInWork): Promise<OpenCustomer | null> {
  if (row.one.outputDueAt !== null) await fetchOutput(row);
  else if (isPosted(row.one)) await act(row);
  else if (!(await post(row))) return null;
  return conclude(row);
}

export async function fail(
  row: RowInWork,
  { refused, ...failure }: CallFailure,
): Promise<OpenCustomer | null> {
  row.undo();
  await end(row, failure);
  if (refused) row.set({ refused });
  return conclude(row);
}

/** Leaves off where its batch is cancelled. */
export async function abandon(row: RowInWork): Promise<OpenCustomer | null> {
  return row.isPosting ? fail(row, UNANSWERED) : row.undo();
}

export function lose(row: RowInWork, message: string): null {
  const { input } = row.undo();
  row.tell({ kind: "lost", row: input.row, runId: input.runId, message });
  return null;
}

async function end(row: RowInWork, failure: OutcomeFacts): Promise<void> {
  await change(row, afterFailure(row.one.state), "failed", failure);
  row.set({ tries: NO_TRIES });
}

/** Prepares and posts; false where the batch must run the row again. */
async function post(row: RowInWork): Promise<boolean> {
  const { deps } = row;
  if (row.one.stopped) {
    const call = await callState(deps.sealed, await onboardingPrefix(deps, row.one.input));
    if (call !== "answered") {
      await (call === "sent" ? end(row, UNANSWERED) : stop(row));
      return true;
    }
  }
  if (row.one.input.prepare) {
    const unauthorized = await prepareCustomer(row);
    if (unauthorized) return putBack(row, unauthorized);
    row.set({ input: { ...row.one.input, prepare: false } });
  }
  row.isPosting = true;
  const unauthorized = await postOnboarding(row);
  if (unauthorized) return putBack(row, unauthorized);
  // However long that took.
  row.set({ polls: { ...row.one.polls, polledAt: row.now() } });
  row.isPosting = false;
  return true;
}

function putBack(row: RowInWork, unauthorized: Unauthorized): false {
  row.tell({ kind: "requeued", row: row.one.input.row, unauthorized, ...callsOf(row.one) });
  return false;
}

async function act(row: RowInWork): Promise<void> {
  if (row.one.link !== null) return;
  const now = row.now();
  const due = dueStep(row.one, now);
  if (due === "news") {
    const { news, left } = newsTaken(row.one);
    return news.length > 0 ? poll(row, news, left) : row.set(left);
  }
  if (due === undefined) return;
  if (due === "poll" || !isWitnessed(row)) await poll(row, [], row.one);
  if (row.deps.api.serviceTime !== undefined && !isWitnessed(row))
    return due === "poll" ? undefined : row.set({ tries: afterTry(NO_TRIES, row.now(), HOUR) });
  if (due === "deadline" && row.one.state.phase !== "final")
    return change(row, afterDeadline(row.one.state), "deadline");
  if (isOverdue(row.one, now)) await change(row, afterDecisionTimeout(row.one.state), "patience");
}

/** Whether the service's clock bears out ours, but for a day. */
function isWitnessed({ deps: { api }, now }: RowInWork): boolean {
  return now() <= Date.parse(api.serviceTime ?? "") + DAY;
}

/** Until the poll has succeeded, the row keeps its own polls and mail. */
async function poll(
  row: RowInWork,
  news: readonly CustomerEvent[],
  { polls, mail }: Pick<OpenCustomer, "polls" | "mail">,
): Promise<void> {
  const { status } = row.one.state;
  const unauthorized = await pollOnboarding(row, [...polls.hints, ...news]);
  const now = row.now();
  row.set({ mail, polls: withPoll(polls, now, row.one.state.status !== status) });
  if (unauthorized) row.tell({ kind: "refused", row: row.one.input.row, unauthorized, ...NO_CALLS });
  if (hasLinkEnded(row.one, now)) await change(row, withoutLink(row.one.state), "link_ended");
}

async function report(row: RowInWork): Promise<void> {
  if (row.one.state.phase === "machine") return;
  await deliver(row);
  const { input, state, isReported, messageHash, refused, outputPolled } = row.one;
  if (isReported) return;
  row.set({ isReported: true });
  row.tell({
    kind: "done",
    row: input.row,
    messageHash,
    ...callsOf(row.one),
    ...(outputPolled && { outputCame: state.hasOutput }),
    ...(refused && { refused }),
    ...rowVerdict(state),
  });
}

async function deliver(row: RowInWork): Promise<void> {
  const { link } = row.one;
  if (link === null) return;
  const isDelivered = await row.try(() => deliverLink(row, link));
  row.set({ link: null });
  const { state } = row.one;
  await change(row, isDelivered ? afterLink(state, link.expiresAt) : withoutLink(state), "link");
}

async function conclude(row: RowInWork): Promise<OpenCustomer | null> {
  if (isOutputAwaited(row.one)) {
    return { ...row.one, outputDueAt: row.now() + (row.one.input.timing.outputRetry ?? 0) };
  }
  await report(row);
  const { state, stopped } = row.one;
  if (state.phase === "final") return null;
  if (!stopped) return row.one;
  await stop(row);
  await report(row);
  return null;
}

async function stop(row: RowInWork): Promise<void> {
  await change(row, afterStop(row.one.state), "stopped");
}

/** Polls once more for an output (docs/reference/service.md, "Onboarding result"). */
async function fetchOutput(row: RowInWork): Promise<void> {
  if (!row.one.stopped) {
    await pollOnboarding(row, []);
    row.set({ outputPolled: true });
  }
  row.set({ outputDueAt: null });
}

async function change(
  row: RowInWork,
  state: CustomerState,
  event: string,
  failure?: OutcomeFacts,
): Promise<void> {
  await row.change(state, { events: [outcomeEvent(event, state.status)], ...failure });
}
