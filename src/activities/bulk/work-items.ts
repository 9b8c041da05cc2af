import { randomUUID } from "node:crypto";
import { ApplicationFailure } from "@temporalio/activity";
import { readObjectText } from "../../api/http/answer.js";
import type { ClientToken } from "../../api/http/call-options.js";
import { withClientToken } from "../../api/http/client-token.js";
import { RejectedError } from "../../api/http/errors.js";
import type { Operation } from "../../api/operations/operation.js";
import type { Attempted, ItemOutcome } from "../../domain/backoff.js";
import { type BulkTotals, noBulkTotals } from "../../domain/bulk/bulk-totals.js";
import type { CallTerms, DataOwner } from "../../domain/calls/answered-call.js";
import { addTotals } from "../../domain/counts.js";
import { FAILURE_TYPES, UnsendableError } from "../../domain/failures.js";
import { type CallGate, type NamedFailure, namedFailures } from "../../domain/waiting.js";
import type { Caller } from "../../jobs/job.js";
import type { BulkStaging } from "../../lake/bulk/bulk-staging.js";
import { requestsSent } from "../calls/call-record.js";
import { type CallRule, callRule, makeCall } from "../calls/call-rules.js";
import { callFailure, LostAnswerError } from "../failure.js";
import { runSlice, type Slice } from "../slice.js";
import { type BulkDependencies, type BulkGroup, openGroup } from "./open-group.js";

/** Time for new calls of an item whose slice ended while it found kept answers. */
const PROGRESS_MS = 5_000;

export interface ItemProgress extends Attempted {
  readonly item: number;
}

interface WorkItemsInput extends BulkGroup {
  readonly items: readonly ItemProgress[];
  readonly budgetMs: number;
}

interface WorkedItem {
  readonly progress: ItemProgress;
  readonly outcome: ItemOutcome;
  /** Given only for the first items that are tried again. */
  readonly failure?: NamedFailure;
}

interface WorkItemsResult extends CallGate {
  readonly items: readonly WorkedItem[];
  /** Names of the staged results; none where no item has ended. */
  readonly results: readonly string[];
  /** Totals of the items that have ended, with the calls of all items. */
  readonly totals: BulkTotals;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** Works on a slice of items. Stages the results of ended ones, sealed, before anything uses them. */
export async function workItems(deps: BulkDependencies, input: WorkItemsInput): Promise<WorkItemsResult> {
  const group = await openGroup(deps, input);
  const { job, staging } = group.run;
  const { options, secrets } = await staging.file.require();
  const planned = await group.work();
  const kept = staging.keepResults(`${input.group}-${randomUUID()}`);
  let totals = noBulkTotals();
  const { results, sent, gate } = await runSlice(deps, input, input.items, async (progress, slice) => {
    const { item } = progress;
    const { rows, given } = planned[item] ?? {};
    if (rows === undefined || !slice.hasTime()) return { progress, outcome: { kind: "open" } as const };
    let result: unknown;
    try {
      const caller = callerOf(slice, input, { options, secrets, given, staging }, item);
      result = await job.work(rows, caller);
    } catch (error) {
      return { progress, outcome: outcomeOf(error) };
    }
    slice.countBytes(await kept.add({ item, result }));
    totals = addTotals(totals, group.totalsOf([{ rows, result, reason: null, asked: 0 }]));
    return { progress, outcome: { kind: "complete" } as const };
  });
  const names = await kept.end();
  const items = namedFailures(results, ({ progress: { item } }) => {
    const line = planned[item]?.rows[0]?.line ?? 0;
    return { line, owner: group.ownerOf(line) };
  });
  for (const { progress, outcome } of results) {
    const ids = { group: input.group, item: progress.item };
    const streak = outcome.kind === "complete" ? null : progress.streak;
    deps.warnings.logOutcome(input.runId, ids, outcome, streak);
  }
  return {
    items,
    results: names,
    totals: { ...totals, ...sent },
    ...gate,
    at: Date.now(),
  };
}

interface Refusal {
  readonly status: number;
  readonly serviceMessage?: string | undefined;
}

function callerOf(
  slice: Slice,
  { runId, group }: Pick<BulkGroup, "runId" | "group">,
  facts: Pick<Caller, "options" | "secrets" | "given"> & { readonly staging: BulkStaging },
  item: number,
  token?: ClientToken,
): Caller {
  const { deps, deadline } = slice;
  const { staging, ...known } = facts;
  const prefix = staging.itemPrefix(group, item);
  const { sealed } = deps;
  let isProgress = false;
  const ruled = async (
    rule: CallRule<Operation, unknown>,
    name: string,
    params: object,
    owner: DataOwner | undefined,
    terms?: CallTerms,
  ) => {
    const { operation } = rule;
    const own = `${prefix}${name}/`;
    const refused = await sealed.get<Refusal>(`${own}refused`);
    if (refused !== undefined) throw new RejectedError({ operation: operation.name, sent: true, ...refused });
    try {
      const place = { deps, run: runId, prefix: own, owner, token, ...terms };
      // Finding kept answers again may take a whole slice: the item then gets time for new calls, or it would never end.
      const isStuck = !isProgress && !slice.hasTime();
      const notAfter = isStuck ? Math.max(deadline, Date.now() + PROGRESS_MS) : deadline;
      const settled = await makeCall(place, rule, params as never, notAfter);
      isProgress ||= settled.repeated !== "found";
      if (slice.repeated && settled.repeated === "found") slice.countFound();
      return settled;
    } catch (error) {
      // The service might accept it later, once other calls of the item have taken effect.
      if (error instanceof RejectedError && error.status !== undefined) {
        const { status, serviceMessage } = error;
        await sealed.put(`${own}refused`, { status, serviceMessage } satisfies Refusal, { durable: true });
      }
      throw error;
    }
  };
  const lost = (name: string) => requestsSent(sealed, `${prefix}${name}/`);
  const once = (name: string, operation: Operation, params: object, owner?: DataOwner, terms?: CallTerms) =>
    ruled(callRule(operation), name, params, owner, terms);
  const onceText = (name: string, operation: Operation, params: object, owner?: DataOwner) => {
    const send: CallRule<Operation, unknown>["send"] = async (_, given, options) =>
      readObjectText(operation, await deps.api.call(operation, given, options));
    return ruled({ ...callRule(operation), send }, name, params, owner);
  };
  return {
    ...{ ...known, lake: deps.lake, lost },
    withToken: (grant, use) =>
      withClientToken(deps.api, grant, (made) => use(callerOf(slice, { runId, group }, facts, item, made)), {
        run: runId,
      }),
    file: (line, column) => staging.bytes(line, column),
    once: once as Caller["once"],
    onceText: onceText as Caller["onceText"],
  };
}

function outcomeOf(error: unknown): ItemOutcome {
  if (error instanceof LostAnswerError) return { kind: "failed", reason: "lost_answer" };
  if (error instanceof ApplicationFailure && error.type === FAILURE_TYPES.transient) {
    const wait = error.nextRetryDelay;
    return { kind: "transient", reason: "settling", retryAfterMs: typeof wait === "number" ? wait : null };
  }
  // Ends the item alone: the request is wrong by what a row, or the service, says.
  if (error instanceof UnsendableError) return { kind: "failed", reason: `unsendable ${error.rule}` };
  const failure = callFailure(error);
  switch (failure.kind) {
    case "gone":
    case "rejected": {
      const { kind, status, message } = failure;
      const reason = kind === "gone" ? "not_found" : `refused http_${status}`;
      return { kind: "failed", reason, refused: { status, message } };
    }
    case "broken":
      return { kind: "failed", reason: failure.reason };
    default:
      return failure;
  }
}
