import { InputError } from "../../domain/failures.js";
import { isScheduleName, scheduleId } from "../../domain/schedules/scheduled-run.js";
import { type TimingFlags, timingOf } from "../../domain/schedules/timing.js";
import type { ScheduleInput } from "../../intake/schedules/scheduled-job.js";
import { putSchedule } from "../../intake/schedules/schedules.js";
import { checkScheduled } from "../../intake/schedules/start-scheduled.js";
import { readJobConfig } from "../session/preflight.js";
import type { Terminal } from "../terminal/terminal.js";
import { describedSchedule, withSchedules } from "./described.js";
import { parseScheduledCommand } from "./scheduled-command.js";

interface CreateFlags extends TimingFlags {
  readonly paused?: boolean;
  readonly json?: boolean;
}

/** @throws InputError */
export async function createSchedule(
  terminal: Terminal,
  name: string,
  command: readonly string[],
  flags: CreateFlags,
): Promise<void> {
  if (!isScheduleName(name)) {
    throw new InputError(
      `${JSON.stringify(name)} can't be the name of a schedule. Nothing was changed. Give letters, digits, dots, dashes and underscores, at most 63.`,
    );
  }
  const timing = timingOf(flags);
  const job = await parseScheduledCommand(terminal, command);
  const { settings } = readJobConfig(terminal);
  await checkScheduled(job);
  return withSchedules(terminal, async ({ temporal: { client }, preflight }) => {
    const { scope, taskQueue, service } = preflight;
    const of = { schedule: name, scope, lake: service.lake };
    const input: ScheduleInput = { ...of, runKind: job.kind, job, command, timing };
    const asked = { scheduleId: scheduleId(scope, name), timing, workflowType: "fireSchedule" };
    const done = await putSchedule(client, { ...asked, taskQueue, input, paused: flags.paused === true });
    const described = await describedSchedule(client, scope, name);
    const [next] = described.next;
    const words = `schedule ${name} ${done}: ${described.when}${next === undefined ? "" : `, next ${next}`}`;
    terminal.result(flags.json ? JSON.stringify(described) : words);
    if (described.paused) terminal.say(`it is paused; nightledger schedule unpause ${name}`);
    if (settings.mode === "embedded") {
      terminal.say(
        "it fires while `nightledger dev` runs here; docs/run/operate.md has a systemd unit that keeps that running",
      );
    }
  });
}
