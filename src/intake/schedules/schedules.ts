import {
  type Client,
  ScheduleAlreadyRunning,
  type ScheduleDescription,
  ScheduleNotFoundError,
  ScheduleOverlapPolicy,
  type ScheduleSpec,
} from "@temporalio/client";
import { InputError } from "../../domain/failures.js";
import { CATCH_UP_MS, TASK_TIMEOUT } from "../../domain/run.js";
import type { ScheduleTiming } from "../../domain/schedules/timing.js";

const GRPC_INVALID_ARGUMENT = 3;

interface AskedSchedule {
  readonly scheduleId: string;
  readonly timing: ScheduleTiming;
  readonly workflowType: string;
  readonly taskQueue: string;
  /** Argument of its workflow. */
  readonly input: object;
  /** Whether a new schedule waits for its first `unpause`; an existing one stays as it is. */
  readonly paused: boolean;
}

/** Creates a schedule, or changes the one of that name, which stays paused if it was. @throws InputError */
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

/** Asks Temporal for a schedule; undefined where there is none with that id. */
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

/** Lists the ids of all schedules that begin with a prefix, sorted. */
export async function scheduleIds(client: Client, prefix: string): Promise<string[]> {
  const ids: string[] = [];
  for await (const { scheduleId } of client.schedule.list()) {
    if (scheduleId.startsWith(prefix)) ids.push(scheduleId);
  }
  return ids.sort();
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

/** Turns the refusal of a definition, by the SDK or by Temporal, into words for the user. */
function refused(error: unknown): unknown {
  const { code, details } = ((error as Error).cause ?? error) as { code?: unknown; details?: unknown };
  const isRefusal = error instanceof TypeError || code === GRPC_INVALID_ARGUMENT;
  if (!isRefusal) return error;
  const why = error instanceof TypeError ? error.message : String(details);
  return new InputError(
    `Temporal refuses the times of the schedule: ${why}. Nothing was changed. Give others.`,
  );
}
