import type { Client, ScheduleDescription } from "@temporalio/client";
import type { KnownFiring, ScheduleFacts } from "../../domain/alerts/facts.js";
import { BEGINS_WITHIN_MS } from "../../domain/alerts/missing-run.js";
import { DAY, HOUR, MINUTE } from "../../domain/duration.js";
import { type FiringMemo, schedulePrefix } from "../../domain/schedules/scheduled-run.js";
import { describeWorkflow } from "../../temporal/running-workflows.js";
import type { ScheduleInput } from "./scheduled-job.js";
import { describeSchedule, scheduleIds } from "./schedules.js";

/** How far back to look for a due time, the shortest period first: Temporal lists at most a thousand times. */
const LOOK_BACK_MS = [5 * MINUTE, HOUR, DAY, 32 * DAY];

/** Reads the schedules that run jobs and are not paused: when each was due, and what it fired. */
export async function scheduleFacts(client: Client, scope: string, now: number): Promise<ScheduleFacts[]> {
  const prefix = schedulePrefix(scope);
  const facts: ScheduleFacts[] = [];
  for (const id of await scheduleIds(client, prefix)) {
    const described = await describeSchedule(client, id);
    if (described === undefined || described.state.paused) continue;
    const [input] = (described.action.args ?? []) as unknown as [ScheduleInput];
    if (input.job.kind === "alerts" || input.job.kind === "maintain") continue;
    facts.push({
      name: id.slice(prefix.length),
      jitterMs: input.timing.jitterMs,
      dueAt: await newestDueTime(client, id, described, now - BEGINS_WITHIN_MS),
      firings: await Promise.all(
        described.info.recentActions.map(({ scheduledAt, action: { workflow } }) =>
          knownFiring(client, scheduledAt, workflow.workflowId),
        ),
      ),
    });
  }
  return facts;
}

async function newestDueTime(
  client: Client,
  scheduleId: string,
  { info: { createdAt, lastUpdatedAt } }: ScheduleDescription,
  until: number,
): Promise<number | null> {
  const begin = Math.max(createdAt.getTime(), lastUpdatedAt?.getTime() ?? 0);
  for (const back of LOOK_BACK_MS) {
    const from = Math.max(begin, until - back);
    if (from >= until) return null;
    const { startTime } = await client.workflowService.listScheduleMatchingTimes({
      namespace: client.options.namespace,
      scheduleId,
      startTime: timestamp(from),
      endTime: timestamp(until),
    });
    const newest = startTime.at(-1);
    if (newest) return Number(newest.seconds) * 1_000 + Math.floor((newest.nanos ?? 0) / 1e6);
    if (from === begin) return null;
  }
  return null;
}

// The protocol also takes a number; the type knows only a class of a package that we do not depend on.
function timestamp(ms: number) {
  return { seconds: Math.floor(ms / 1_000) as never, nanos: (ms % 1_000) * 1e6 };
}

async function knownFiring(client: Client, scheduledAt: Date, workflowId: string): Promise<KnownFiring> {
  const { memo } = (await describeWorkflow(client, workflowId)) ?? {};
  const { dueAt, runId = null, status = null } = (memo ?? {}) as Partial<FiringMemo>;
  return { dueAt: dueAt === undefined ? scheduledAt.getTime() : Date.parse(dueAt), runId, status };
}
