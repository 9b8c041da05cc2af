import {
  CancellationScope,
  continueAsNew,
  defineQuery,
  defineSignal,
  proxyActivities,
  setHandler,
} from "@temporalio/workflow";
import type { Activities } from "../../activities/create-activities.js";
import { type BulkProgress, type BulkSummary, bulkStatus, endOfBulk } from "../../domain/bulk/bulk-totals.js";
import { FINISHING } from "../../domain/phases.js";
import { pausedMs, TRY_NOW } from "../../domain/waiting.js";
import { GROUPS_AT_ONCE, HEARTBEATING } from "../policies.js";
import { runLog, tellStatus } from "../run-details.js";
import { type BulkInput, RunState } from "./run-state.js";
import { workGroup } from "./work-group.js";

const { publishRun, finishBulk } = proxyActivities<Activities>(HEARTBEATING);

/**
 * Runs a bulk job: works on its groups of rows, a few at a time, publishes what its kind publishes, and writes the
 * run's row. A cancelled run keeps what it has done: it waits for calls that were sent, and writes their rows.
 */
export async function bulkJob(input: BulkInput): Promise<BulkSummary> {
  const state = new RunState(input);
  const { carried, runId, kind, rows } = input;
  if (!carried) runLog.info({ run_id: runId, kind, rows }, "run begins");
  setHandler(defineQuery<BulkProgress>("progress"), () => state.progress);
  setHandler(defineSignal(TRY_NOW), () => state.tryNow());
  return CancellationScope.nonCancellable(async () => {
    const began = Date.now();
    await Promise.all(Array.from({ length: GROUPS_AT_ONCE }, () => workGroups(state)));
    state.phases.note("working", began);
    const { all: phases } = state.phases;
    if (state.continues)
      return continueAsNew<typeof bulkJob>({ ...input, carried: { ...state.run, phases } });
    const told = await publish(input, state);
    return finish(input, state, told);
  });
}

async function workGroups(state: RunState): Promise<void> {
  for (let group = state.takeGroup(); group !== undefined; group = state.takeGroup()) {
    try {
      await workGroup(state, group);
    } catch (error) {
      state.fail(error);
    } finally {
      state.endGroup(group);
    }
  }
}

async function publish(input: BulkInput, state: RunState): Promise<Readonly<Record<string, unknown>>> {
  if (!input.packs || state.stopped !== null) return {};
  state.phase = "publishing";
  const { runId, kind, staging, startedAt } = input;
  try {
    const publishing = publishRun({ runId, kind, staging, groups: state.groups, startedAt });
    const { told, totals } = await state.phases.during("publishing", publishing);
    state.refute(totals);
    return told;
  } catch (error) {
    state.fail(error);
    return {};
  }
}

async function finish(
  { carried: _, groups: __, packs: ___, rows: total, ...started }: BulkInput,
  state: RunState,
  told: Readonly<Record<string, unknown>>,
): Promise<BulkSummary> {
  state.phase = FINISHING;
  state.phases.note(FINISHING, Date.now());
  const { stopped, run } = state;
  const totals = { ...run.totals, rows: { ...run.totals.rows, total } };
  const status = bulkStatus(totals, stopped);
  const why = endOfBulk(status, totals, run.unauthorized);
  const paused = pausedMs(run.pauses, Date.now());
  const { all: phases } = state.phases;
  const ended = { ...started, status, why, totals, groups: run.nextGroup, pausedMs: paused, phases };
  const { duration_ms, lake_root = null } = await finishBulk(ended);
  tellStatus(status, `${status}: ${totals.rows.done} rows done, ${totals.rows.failed} failed`);
  const result = { run_id: started.runId, job: started.kind, status, ...why, ...totals, ...told };
  return { ...result, duration_ms, lake_root, unauthorized: run.unauthorized };
}
