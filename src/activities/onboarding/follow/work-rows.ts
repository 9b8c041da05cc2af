import { ApplicationFailure, CancelledFailure, cancellationSignal } from "@temporalio/activity";
import { type RetryPolicy, triesOf } from "../../../domain/backoff.js";
import { mapConcurrent } from "../../../domain/concurrent-work.js";
import { HOUR, instantText } from "../../../domain/duration.js";
import { StagingLostError, UNRESOLVED_REQUEST } from "../../../domain/failures.js";
import { afterTry, type OpenCustomer, ROW_RETRY } from "../../../domain/onboarding/customer/open-customer.js";
import { shardOf } from "../../../domain/onboarding/follow/shard.js";
import { keptSlice } from "../../../lake/onboarding/open-customers.js";
import { asFull } from "../../../lake/store/local/local-store-errors.js";
import { asCallFailure } from "../../failure.js";
import { failureOf } from "../customer/customer-failure.js";
import { RowInWork } from "../customer/row-in-work.js";
import type { OnboardingDependencies } from "../dependencies.js";
import { abandon, fail, lose, step } from "./open-row.js";

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

/** @throws what is not the row's: a full disk, the end of the worker */
async function afterError(row: RowInWork, error: unknown): Promise<OpenCustomer | null> {
  const again = (thrown: unknown) => triedAgain(row, thrown);
  const end = error instanceof Error ? failureOf(error, row.one, row.advice) : undefined;
  if (end !== undefined) return fail(row, end).catch(again);
  const { aborted, reason } = cancellationSignal();
  if (aborted) {
    if (!(reason instanceof CancelledFailure) || reason.message !== "CANCELLED") throw error;
    return abandon(row).catch(again);
  }
  if (error instanceof StagingLostError) return lose(row, error.message);
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
