import { InvalidArgumentError } from "commander";
import { parseTimesOfDay, type TimeOfDay } from "../../domain/schedules/timing.js";
import type { AddCommand } from "./command.js";
import { duration } from "./option-values.js";

export const scheduleCommand: AddCommand = (program, run) => {
  const schedule = program
    .command("schedule")
    .description("run a job on a schedule: every night, every few hours, or by a cron expression");
  schedule
    .command("create")
    .argument("<name>", "name of the schedule")
    .argument("<job...>", "the job's command line after two dashes: -- sync --roster users.csv")
    .description(
      "run a job at set times: create a schedule, or change the one of that name (if it is paused, it stays so)",
    )
    .option("--at <times>", "times of day, such as 03:15 or 03:15,14:15", timesOfDay)
    .option("--cron <expression>", "cron expression of five fields, such as '15 3 * * 1-5'")
    .option("--every <time>", "interval with its unit, such as 6h", duration)
    .option("--timezone <name>", "IANA time zone for --at and --cron (default: UTC)")
    .option("--jitter <time>", "delay each run by a random time up to this", duration)
    .option("--paused", "create it paused, until `schedule unpause`")
    .option("--json", "print the schedule as JSON")
    .action(run(async () => (await import("../schedules/create.js")).createSchedule));
  schedule
    .command("list")
    .description("list the lake's schedules: when each runs next and how its last run ended")
    .option("--json", "print them as JSON")
    .action(run(async () => (await import("../schedules/show.js")).listSchedules));
  schedule
    .command("describe")
    .argument("<name>", "name of the schedule")
    .description("show a schedule with its next five times and its last five runs")
    .option("--json", "print it as JSON")
    .action(run(async () => (await import("../schedules/show.js")).showSchedule));
  schedule
    .command("pause")
    .argument("<name>", "name of the schedule")
    .description("pause a schedule until `schedule unpause`; a run in progress continues to its end")
    .option("--reason <text>", "why; kept in Temporal as the schedule's note")
    .action(run(async () => (await import("../schedules/steer.js")).pauseSchedule));
  for (const [name, description, act] of STEERING) {
    schedule
      .command(name)
      .argument("<name>", "name of the schedule")
      .description(description)
      .action(run(async () => (await import("../schedules/steer.js"))[act]));
  }
  schedule
    .command("backfill")
    .argument("<name>", "name of the schedule")
    .description("run a schedule for every time it was due in a period, one run after another")
    .requiredOption("--from <instant>", "start of the period, such as 2026-11-21T00:00:00Z", instant)
    .requiredOption("--to <instant>", "end of the period", instant)
    .action(run(async () => (await import("../schedules/steer.js")).backfillSchedule));
};

const STEERING = [
  ["unpause", "let a paused schedule run again", "unpauseSchedule"],
  ["trigger", "run a schedule now, unless its last run is still in progress", "triggerSchedule"],
  ["delete", "delete a schedule; a run in progress continues to its end", "deleteSchedule"],
] as const;

function timesOfDay(text: string): TimeOfDay[] {
  const times = parseTimesOfDay(text);
  if (times === undefined)
    throw new InvalidArgumentError("accepted: hours and minutes, such as 03:15 or 03:15,14:15.");
  return times;
}

function instant(text: string): Date {
  const at = new Date(text);
  if (!/^\d{4}-\d{2}-\d{2}T.*(Z|[+-]\d{2}:\d{2})$/.test(text) || Number.isNaN(at.getTime()))
    throw new InvalidArgumentError("accepted: an instant with its offset, such as 2026-11-21T02:15:00Z.");
  return at;
}
