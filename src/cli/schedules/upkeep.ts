import type { Client } from "@temporalio/client";
import { scheduleId } from "../../domain/schedules/scheduled-run.js";
import { timingOf, timingWords } from "../../domain/schedules/timing.js";
import { LEAST_RETAINED_DAYS } from "../../domain/tables/retention.js";
import { describeSchedule } from "../../intake/schedules/schedules.js";
import type { Preflight } from "../session/preflight.js";
import type { Terminal } from "../terminal/terminal.js";
import { createJob, putJob, type ScheduledOne } from "./create-job.js";

function weekly(retainDays = LEAST_RETAINED_DAYS): ScheduledOne {
  return {
    name: "maintain",
    job: { kind: "maintain", options: { retainDays } },
    command: ["maintain", "--retain", String(retainDays)],
    timing: timingOf({ cron: "30 4 * * 0" }),
  };
}

/** Creates or changes the weekly schedule of `maintain`. Returns the exit code. */
export function scheduleUpkeep(
  terminal: Terminal,
  { retain, json = false }: { readonly retain?: number; readonly json?: boolean },
): Promise<number> {
  return createJob(terminal, weekly(retain), { json });
}

/**
 * Creates the weekly schedule of `maintain` unless there is one, which may be paused or have other times. Where that
 * fails it only says so: jobs need none of it.
 */
export async function ensureUpkeep(
  terminal: Terminal,
  client: Client,
  place: Pick<Preflight, "scope" | "taskQueue" | "service">,
): Promise<void> {
  const asked = weekly();
  try {
    if ((await describeSchedule(client, scheduleId(place.scope, asked.name))) !== undefined) return;
    await putJob(client, place, asked);
    terminal.say(`upkeep    schedule ${asked.name}: ${timingWords(asked.timing)}`);
  } catch (error) {
    terminal.say(`warning: no schedule keeps the lake small: ${(error as Error).message}`);
  }
}
