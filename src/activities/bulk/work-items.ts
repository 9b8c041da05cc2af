import { randomUUID } from "node:crypto";
import { ApplicationFailure } from "@temporalio/activity";
import type { Operation } from "../../api/operations/operation.js";
import type { BulkOptions } from "../../domain/bulk/bulk-job.js";
import { addBulkTotals, type BulkTotals, noBulkTotals } from "../../domain/bulk/bulk-totals.js";
import { FAILURE_TYPES } from "../../domain/failures.js";
import type { Attempted, ItemOutcome } from "../../domain/item-state.js";
import type { AnyJob, Caller, PlannedItem } from "../../jobs/job.js";
import { callFailure } from "../call-failure.js";
import type { CallFacts, CallPart } from "../calls/call-part.js";
import { CALLS } from "../calls/create-call-activities.js";
import { settledCall } from "../calls/make-call.js";
import { LostAnswerError } from "../lost-answer-error.js";
import { runSlice, type Slice } from "../slice.js";
import { type BulkDependencies, type BulkGroup, jobOf, stagingOf } from "./dependencies.js";
import { plannedItems } from "./ended-items.js";
import { groupRows, ownersOf, totalsOf } from "./group-plan.js";

/** Where the work on one item stands. */
export interface ItemProgress extends Attempted {
  /** Number of the item in its group's plan. */
  readonly item: number;
}

interface WorkItemsInput extends BulkGroup {
  readonly items: readonly ItemProgress[];
  readonly budgetMs: number;
}

export interface WorkedItem {
  readonly progress: ItemProgress;
  readonly outcome: ItemOutcome;
}

interface WorkItemsResult {
  readonly items: readonly WorkedItem[];
  /** Name of the staged results; null where no item came to its end. */
  readonly results: string | null;
  /** Of the items that came to their end, and the calls of all. */
  readonly totals: BulkTotals;
  readonly gateUntil: number | null;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** Works on a slice of items; what came to its end is staged, sealed, before anything is made of it. */
export async function workItems(deps: BulkDependencies, input: WorkItemsInput): Promise<WorkItemsResult> {
  const job = jobOf(deps, input);
  const staging = stagingOf(deps, input);
  const { options } = await staging.file();
  const rows = await groupRows(deps, input);
  const planned = await plannedItems(deps, input, rows);
  const ended: { readonly item: number; readonly result: unknown }[] = [];
  const { results, calls } = await runSlice(deps, input, input.items, async (progress, slice) => {
    const { item } = progress;
    const plan = planned[item];
    if (plan === undefined || !slice.mayGoOn()) return { progress, outcome: { kind: "open" } as const };
    try {
      const caller = callerOf(slice, input, options, staging.itemPrefix(input.group, item));
      ended.push({ item, result: await job.work(plan, caller) });
      return { progress, outcome: { kind: "complete" } as const };
    } catch (error) {
      return { progress, outcome: outcomeOf(error) };
    }
  });
  const name = ended.length === 0 ? null : `${input.group}-${randomUUID()}`;
  if (name !== null) await staging.putResults(name, ended);
  return {
    items: results,
    results: name,
    totals: addBulkTotals(
      { ...noBulkTotals(), calls },
      totalsOf(
        ended.flatMap(({ item, result }) => endsOf(job, planned[item], result)),
        ownersOf(job, rows),
      ),
    ),
    gateUntil: deps.api.gateUntil ?? null,
    at: Date.now(),
  };
}

function endsOf(job: AnyJob, item: PlannedItem<object> | undefined, result: unknown) {
  const ended = { rows: item?.rows ?? [], result, reason: null, mayHaveEffect: false, asked: 0 };
  return job.ends(ended);
}

/** How one operation is called, by its name. */
const PARTS = new Map(
  Object.values(CALLS).map((part) => [
    part.operation.name,
    part as unknown as CallPart<Operation, unknown, CallFacts>,
  ]),
);

function callerOf(
  { deps, deadline }: Slice,
  { runId }: BulkGroup,
  options: BulkOptions,
  prefix: string,
): Caller {
  const once = (name: string, operation: Operation, params: object, owner?: { readonly fp_id: string }) => {
    const part = PARTS.get(operation.name);
    if (part === undefined) throw new Error(`${operation.name} is no operation of the registry`);
    const request = { params, ...(owner && { owner }) };
    const place = { deps, run: runId, prefix: `${prefix}${name}/`, request };
    return settledCall(place, part, params as never, deadline);
  };
  return { options, once: once as Caller["once"] };
}

function outcomeOf(error: unknown): ItemOutcome {
  if (error instanceof LostAnswerError) return { kind: "failed", reason: "lost_answer" };
  if (error instanceof ApplicationFailure && error.type === FAILURE_TYPES.transient) {
    const wait = error.nextRetryDelay;
    return { kind: "transient", reason: "settling", retryAfterMs: typeof wait === "number" ? wait : null };
  }
  const failure = callFailure(error);
  switch (failure.kind) {
    case "gone":
      return { kind: "failed", reason: "not_found" };
    case "rejected":
      return { kind: "failed", reason: `refused http_${failure.status}` };
    case "broken":
      return { kind: "failed", reason: failure.reason };
    default:
      return failure;
  }
}
