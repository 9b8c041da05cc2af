import type { Client } from "@temporalio/client";
import { scheduleId, UPKEEP } from "../../domain/schedules/scheduled-run.js";
import { timingOf, timingWords } from "../../domain/schedules/timing.js";
import { LEAST_RETAINED_DAYS } from "../../domain/tables/retention.js";
import type { ScheduleInput } from "../../intake/schedules/scheduled-job.js";
import { describeSchedule, putSchedule } from "../../intake/schedules/schedules.js";
import type { Preflight } from "../session/preflight.js";
import type { Terminal } from "../terminal/terminal.js";
import { createSchedule } from "./create.js";

const WEEKLY = { cron: "30 4 * * 0" };
const commandOf = (retainDays: number) => ["maintain", "--retain", String(retainDays)];

export function scheduleUpkeep(
  terminal: Terminal,
  { retain = LEAST_RETAINED_DAYS, json = false }: { readonly retain?: number; readonly json?: boolean },
): Promise<void> {
  return createSchedule(terminal, UPKEEP, commandOf(retain), { ...WEEKLY, json });
}

/** Unless it exists. A failure is only reported: no job needs it. */
export async function ensureUpkeep(
  terminal: Terminal,
  client: Client,
  { scope, taskQueue, service }: Pick<Preflight, "scope" | "taskQueue" | "service">,
): Promise<void> {
  const timing = timingOf(WEEKLY);
  const retainDays = LEAST_RETAINED_DAYS;
  const input: ScheduleInput = {
    ...{ schedule: UPKEEP, scope, lake: service.lake, runKind: "maintain" },
    ...{ job: { kind: "maintain", options: { retainDays } }, command: commandOf(retainDays), timing },
  };
  const asked = { scheduleId: scheduleId(scope, UPKEEP), workflowType: "fireSchedule", taskQueue };
  try {
    if ((await describeSchedule(client, asked.scheduleId)) !== undefined) return;
    await putSchedule(client, { ...asked, timing, input, paused: false });
    terminal.say(`upkeep    schedule ${UPKEEP}: ${timingWords(timing)}`);
  } catch (error) {
    terminal.say(`warning: no schedule keeps the lake small: ${(error as Error).message}`);
  }
}
