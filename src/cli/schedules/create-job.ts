import type { Client } from "@temporalio/client";
import { scheduleId } from "../../domain/schedules/scheduled-run.js";
import type { TimingFlags } from "../../domain/schedules/timing.js";
import { runKindOf, type ScheduleInput } from "../../intake/schedules/scheduled-job.js";
import { putSchedule } from "../../intake/schedules/schedules.js";
import type { Preflight } from "../session/preflight.js";
import type { Terminal } from "../terminal/terminal.js";
import { describedSchedule, withSchedules } from "./described.js";

export interface CreateFlags extends TimingFlags {
  readonly paused?: boolean;
  readonly json?: boolean;
}

export interface ScheduledOne extends Pick<ScheduleInput, "job" | "command" | "timing"> {
  readonly name: string;
}

/** Creates or changes the schedule of a job that was judged, and shows it. Returns the exit code. @throws InputError */
export function createJob(
  terminal: Terminal,
  asked: ScheduledOne,
  { paused = false, json = false }: Pick<CreateFlags, "paused" | "json">,
): Promise<number> {
  const { name } = asked;
  return withSchedules(terminal, async ({ temporal: { client, embedded }, preflight }) => {
    const done = await putJob(client, preflight, asked, paused);
    const described = await describedSchedule(client, preflight.scope, name);
    const [next] = described.next;
    const words = `schedule ${name} ${done}: ${described.when}${next === undefined ? "" : `, next ${next}`}`;
    terminal.result(json ? JSON.stringify(described) : words);
    if (described.paused) terminal.say(`it is paused; nightledger schedule unpause ${name}`);
    if (embedded) {
      terminal.say(
        "it fires while `nightledger dev` runs here; `nightledger service install` keeps that running",
      );
    }
  });
}

/** Creates the schedule of a job, or changes the one of that name. @throws InputError */
export function putJob(
  client: Client,
  { scope, taskQueue, service }: Pick<Preflight, "scope" | "taskQueue" | "service">,
  { name, ...job }: ScheduledOne,
  paused = false,
): Promise<"created" | "changed"> {
  const of = { schedule: name, scope, lake: service.lake, runKind: runKindOf(job.job) };
  const id = { scheduleId: scheduleId(scope, name), workflowType: "fireSchedule", taskQueue };
  return putSchedule(client, { ...id, timing: job.timing, input: { ...of, ...job }, paused });
}
