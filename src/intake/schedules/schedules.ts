import {
  type Client,
  ScheduleAlreadyRunning,
  type ScheduleDescription,
  ScheduleNotFoundError,
  ScheduleOverlapPolicy,
  type ScheduleSpec,
  type ScheduleSummary,
} from "@temporalio/client";
import { DAY, SECOND } from "../../domain/duration.js";
import { InputError } from "../../domain/failures.js";
import { CATCH_UP_MS, TASK_TIMEOUT } from "../../domain/run.js";
import { schedulePrefix } from "../../domain/schedules/scheduled-run.js";
import type { ScheduleTiming } from "../../domain/schedules/timing.js";
import type { ScheduleInput } from "./scheduled-job.js";

const GRPC_INVALID_ARGUMENT = 3;

interface AskedSchedule {
  readonly scheduleId: string;
  readonly timing: ScheduleTiming;
  readonly workflowType: string;
  readonly taskQueue: string;
  readonly input: object;
  /** Until its first `unpause`; an existing schedule stays as it is. */
  readonly paused: boolean;
}

/** An existing schedule stays paused if it was. @throws InputError */
export async function putSchedule(client: Client, asked: AskedSchedule): Promise<"created" | "changed"> {
  const { scheduleId, timing, workflowType, taskQueue, input, paused } = asked;
  const workflow = { workflowType, workflowId: scheduleId, taskQueue, args: [input] };
  const definition = {
    spec: specOf(timing),
    action: { type: "startWorkflow" as const, ...workflow, workflowTaskTimeout: TASK_TIMEOUT },
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: CATCH_UP_MS, pauseOnFailure: false },
  };
  try {
    await client.schedule.create({ scheduleId, ...definition, state: { paused } });
    return "created";
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw refused(error);
  }
  try {
    await client.schedule.getHandle(scheduleId).update(({ state }) => ({ ...definition, state }));
    return "changed";
  } catch (error) {
    throw refused(error);
  }
}

export async function describeSchedule(
  client: Client,
  scheduleId: string,
): Promise<ScheduleDescription | undefined> {
  try {
    return await client.schedule.getHandle(scheduleId).describe();
  } catch (error) {
    if (error instanceof ScheduleNotFoundError) return undefined;
    throw error;
  }
}

/** Nothing of a schedule that was made without the deployment's keys. */
export function inputOf({ action }: ScheduleDescription): Partial<ScheduleInput> {
  return (action.args?.[0] ?? {}) as Partial<ScheduleInput>;
}

export async function listedSchedules(client: Client, prefix: string): Promise<ScheduleSummary[]> {
  const listed: ScheduleSummary[] = [];
  for await (const one of client.schedule.list()) {
    if (one.scheduleId.startsWith(prefix)) listed.push(one);
  }
  return listed.sort((a, b) => (a.scheduleId < b.scheduleId ? -1 : 1));
}

function specOf(timing: ScheduleTiming): ScheduleSpec {
  const { timezone, jitterMs } = timing;
  const common = { timezone, ...(jitterMs > 0 && { jitter: jitterMs }) };
  switch (timing.kind) {
    case "at":
      return { ...common, calendars: timing.times.map(({ hour, minute }) => ({ hour, minute })) };
    case "cron":
      return { ...common, cronExpressions: [timing.cron] };
    case "every":
      return { ...common, intervals: [{ every: timing.everyMs }] };
  }
}

/** Puts a refusal by the SDK or by Temporal into words for the user. */
function refused(error: unknown): unknown {
  const { code, details } = ((error as Error).cause ?? error) as { code?: unknown; details?: unknown };
  const isRefusal = error instanceof TypeError || code === GRPC_INVALID_ARGUMENT;
  if (!isRefusal) return error;
  const why = error instanceof TypeError ? error.message : String(details);
  return new InputError(
    `Temporal refuses the times of the schedule: ${why}. Nothing was changed. Give others.`,
  );
}

interface UnpausedSchedule {
  readonly name: string;
  /** First word of its run ids. */
  readonly kind: string;
  /** Epoch milliseconds of its creation or last change. */
  readonly beganAt: number;
}

export async function unpausedSchedules(client: Client, scope: string): Promise<UnpausedSchedule[]> {
  const prefix = schedulePrefix(scope);
  const found: UnpausedSchedule[] = [];
  for (const { scheduleId } of await listedSchedules(client, prefix)) {
    const described = await describeSchedule(client, scheduleId);
    if (described === undefined || described.state.paused) continue;
    const { runKind: kind = "" } = inputOf(described);
    const { createdAt, lastUpdatedAt } = described.info;
    const beganAt = Math.max(createdAt.getTime(), lastUpdatedAt?.getTime() ?? 0);
    found.push({ name: scheduleId.slice(prefix.length), kind, beganAt });
  }
  return found;
}

/** In epoch milliseconds; null where it was not due. */
export async function firstDueTime(
  client: Client,
  scheduleId: string,
  from: number,
  until: number,
): Promise<number | null> {
  const { startTime } = await client.workflowService.listScheduleMatchingTimes({
    namespace: client.options.namespace,
    scheduleId,
    startTime: timestamp(from),
    endTime: timestamp(until),
  });
  const [first] = startTime;
  return first ? Number(first.seconds) * 1_000 + Math.floor((first.nanos ?? 0) / 1e6) : null;
}

/** In milliseconds; undefined where the schedule is not due within a day after `dueAt`. */
export async function intervalAfter(
  client: Client,
  scheduleId: string,
  dueAt: string,
): Promise<number | undefined> {
  const due = Date.parse(dueAt);
  // It may be deleted by now.
  const next = await firstDueTime(client, scheduleId, due + SECOND, due + DAY).catch(() => null);
  return next === null ? undefined : next - due;
}

// The protocol also takes a number; the type knows only a class of a package that we do not depend on.
function timestamp(ms: number) {
  return { seconds: Math.floor(ms / 1_000) as never, nanos: (ms % 1_000) * 1e6 };
}
