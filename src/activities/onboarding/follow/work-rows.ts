import { ApplicationFailure, CancelledFailure, cancellationSignal } from "@temporalio/activity";
import { type RetryPolicy, triesOf } from "../../../domain/backoff.js";
import { mapConcurrent } from "../../../domain/concurrent-work.js";
import { callsOf, NO_CALLS } from "../../../domain/counts.js";
import { DAY, HOUR, instantText } from "../../../domain/duration.js";
import { StagingLostError, UNRESOLVED_REQUEST, type Unauthorized } from "../../../domain/failures.js";
import {
  afterDeadline,
  afterDecisionTimeout,
  afterFailure,
  afterLink,
  afterStop,
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
  ROW_RETRY,
} from "../../../domain/onboarding/customer/open-customer.js";
import { withPoll } from "../../../domain/onboarding/customer/poll-schedule.js";
import { shardOf } from "../../../domain/onboarding/follow/shard.js";
import type { CustomerEvent } from "../../../domain/onboarding/messages.js";
import { keptSlice } from "../../../lake/onboarding/open-customers.js";
import { asFull } from "../../../lake/store/local/local-store-errors.js";
import { callState } from "../../calls/call-record.js";
import { asCallFailure } from "../../failure.js";
import { deliverLink } from "../customer/apply-answer.js";
import { onboardingPrefix } from "../customer/call-prefix.js";
import { type CallFailure, failureOf } from "../customer/customer-failure.js";
import { pollOnboarding } from "../customer/poll-onboarding.js";
import { postOnboarding } from "../customer/post-onboarding.js";
import { prepareCustomer } from "../customer/prepare-customer.js";
import { RowInWork } from "../customer/row-in-work.js";
import type { OnboardingDependencies } from "../dependencies.js";

const UNANSWERED: OutcomeFacts = {
  error_class: "InterruptedError",
  error_message:
    "the batch was cancelled before the service answered the request, so it is not known whether the service carried it out; runs retry looks for it before it sends anything",
};

const RETRY: RetryPolicy = { ...ROW_RETRY, until: 10 * HOUR };

interface WorkRowsInput {
  readonly slice: string;
  readonly keys: readonly string[];
  /** By Temporal's clock: this machine's may be ahead or behind. */
  readonly dueAt: number;
}

/** Works on due rows, all at once, and keeps what came of it; `applySlices` applies it. */
export async function workRows(
  deps: OnboardingDependencies,
  { slice, keys, dueAt }: WorkRowsInput,
): Promise<void> {
  const kept = keptSlice(deps.sealed, slice);
  if (await kept.has()) return;
  const began = performance.now();
  const now = () => Math.floor(dueAt + performance.now() - began);
  const rows = await deps.open.read((open) =>
    Promise.all(keys.map(async (key) => [key, (await deps.open.shard(open, shardOf(key)))[key]] as const)),
  );
  const stepped = await mapConcurrent(rows.length, rows, async ([key, one]) => {
    if (one === undefined) return [];
    const row = new RowInWork(deps, one, now);
    const next = await step(row).catch((error: unknown) => afterError(row, error));
    const { reports, records } = row;
    const { batchId, line, attempt } = one.input;
    return [{ row: { key, batchId, line, attempt }, read: one.mail.events.length, next, reports, records }];
  });
  await kept.putIfAbsent(stepped.flat());
}

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

async function end(row: RowInWork, failure: OutcomeFacts): Promise<void> {
  await row.change(afterFailure(row.one.state), "failed", failure);
  row.set({ tries: NO_TRIES });
}

/** Prepares and posts; false where the batch must run the row again. */
async function post(row: RowInWork): Promise<boolean> {
  const { deps } = row;
  if (row.one.stopped) {
    const call = await callState(deps.sealed, await onboardingPrefix(deps, row.one.input));
    if (call !== "answered") {
      await (call === "sent" ? end(row, UNANSWERED) : row.change(afterStop(row.one.state), "stopped"));
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
    return row.change(afterDeadline(row.one.state), "deadline");
  if (isOverdue(row.one, now)) await row.change(afterDecisionTimeout(row.one.state), "patience");
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
  if (hasLinkEnded(row.one, now)) await row.change(withoutLink(row.one.state), "link_ended");
}

async function report(row: RowInWork): Promise<void> {
  if (row.one.state.phase === "machine") return;
  const { link } = row.one;
  if (link !== null) {
    const isDelivered = await row.try(() => deliverLink(row, link));
    row.set({ link: null });
    const { state } = row.one;
    await row.change(isDelivered ? afterLink(state, link.expiresAt) : withoutLink(state), "link");
  }
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

async function conclude(row: RowInWork): Promise<OpenCustomer | null> {
  if (isOutputAwaited(row.one)) {
    return { ...row.one, outputDueAt: row.now() + (row.one.input.timing.outputRetry ?? 0) };
  }
  await report(row);
  const { state, stopped } = row.one;
  if (state.phase === "final") return null;
  if (!stopped) return row.one;
  await row.change(afterStop(state), "stopped");
  await report(row);
  return null;
}

/** Polls once more for an output (docs/reference/service.md, "Onboarding result"). */
async function fetchOutput(row: RowInWork): Promise<void> {
  if (!row.one.stopped) {
    await pollOnboarding(row, []);
    row.set({ outputPolled: true });
  }
  row.set({ outputDueAt: null });
}

/** @throws what is not the row's: a full disk, the end of the worker */
async function afterError(row: RowInWork, error: unknown): Promise<OpenCustomer | null> {
  const again = (thrown: unknown) => triedAgain(row, thrown);
  const end = error instanceof Error ? failureOf(error, row.one, row.advice) : undefined;
  if (end !== undefined) return fail(row, end).catch(again);
  const { aborted, reason } = cancellationSignal();
  if (aborted) {
    if (!(reason instanceof CancelledFailure) || reason.message !== "CANCELLED") throw error;
    return row.isPosting ? fail(row, UNANSWERED).catch(again) : row.undo();
  }
  if (error instanceof StagingLostError) {
    const { input } = row.undo();
    row.tell({ kind: "lost", row: input.row, runId: input.runId, message: error.message });
    return null;
  }
  if (!(error instanceof Error) || asFull(error) !== undefined) throw error;
  const failure = await callFailureOf(error);
  const { input, tries } = row.undo();
  const { batchId, runId, line } = input;
  const attempt = tries.times + 1;
  row.deps.warnings.failed({ run_id: runId, batch_id: batchId, line }, failure, {
    attempt,
    class: failure.type,
  });
  if (!failure.nonRetryable && attempt < triesOf(RETRY)) {
    const again = triedAgain(row, error, failure.nextRetryDelay);
    const [{ givesUpAt = undefined } = {}] = (failure.details ?? []) as { readonly givesUpAt?: number }[];
    if (givesUpAt !== undefined) {
      const [next_try_at, gives_up_at] = [instantText(again.tries.notBefore), instantText(givesUpAt)];
      const waits = { owner: `line ${line}`, reason: UNRESOLVED_REQUEST, attempts: attempt };
      row.tell({ kind: "waits", row: input.row, waits: { ...waits, next_try_at, gives_up_at } });
    }
    return again;
  }
  const ended = { error_class: failure.type ?? "Error", error_message: failure.message };
  return fail(row, ended).catch(again);
}

/** @throws where there is no room to say so */
function triedAgain(row: RowInWork, error: unknown, wait?: unknown): OpenCustomer {
  if (!(error instanceof Error) || asFull(error) !== undefined) throw error;
  const one = row.undo();
  return { ...one, tries: afterTry(one.tries, row.now(), typeof wait === "number" ? wait : undefined) };
}

async function callFailureOf(error: Error): Promise<ApplicationFailure> {
  const failure = await asCallFailure(() => Promise.reject(error)).catch((one: unknown) => one);
  if (failure instanceof ApplicationFailure) return failure;
  throw failure;
}
