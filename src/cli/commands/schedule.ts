import { type Command, InvalidArgumentError } from "commander";
import { parseTimesOfDay, type TimeOfDay } from "../../domain/schedules/timing.js";
import type { CreateFlags } from "../schedules/create.js";
import type { BackfillFlags } from "../schedules/steer.js";
import type { AddCommand } from "./command.js";
import { duration } from "./option-values.js";

/** `nightledger schedule` */
export const scheduleCommand: AddCommand = (program: Command, terminal, end) => {
  const schedule = program
    .command("schedule")
    .description("run a job by itself: every night, every few hours, by a cron expression");
  schedule
    .command("create")
    .argument("<name>", "its name; the same name again changes it")
    .argument("<job...>", "after two dashes, the job's command line: -- sync --roster users.csv")
    .description("create a schedule of a job, or change it; one that is paused stays paused")
    .option("--at <times>", "times of day, such as 02:15 or 02:15,14:15", timesOfDay)
    .option("--cron <expression>", "five fields, such as '15 2 * * 1-5'")
    .option("--every <time>", "a time with its unit, such as 6h", duration)
    .option("--timezone <name>", "IANA time zone of --at and --cron (default: UTC)")
    .option("--jitter <time>", "put each firing off at random, by at most this", duration)
    .option("--paused", "do not fire a new one before `schedule unpause`")
    .option("--json", "print the schedule as one JSON value on standard output")
    .action(async (name: string, job: string[], flags: CreateFlags) => {
      const { createSchedule } = await import("../schedules/create.js");
      end(await createSchedule(terminal, name, job, flags));
    });
  schedule
    .command("list")
    .description("list the schedules of the lake: when each fires next, and how it last went")
    .option("--json", "print them as one JSON array on standard output")
    .action(async ({ json = false }: { readonly json?: boolean }) => {
      const { listSchedules } = await import("../schedules/show.js");
      end(await listSchedules(terminal, json));
    });
  schedule
    .command("describe")
    .argument("<name>", "its name")
    .description("show a schedule: its next five times, and its last five runs")
    .option("--json", "print it as one JSON value on standard output")
    .action(async (name: string, { json = false }: { readonly json?: boolean }) => {
      const { showSchedule } = await import("../schedules/show.js");
      end(await showSchedule(terminal, name, json));
    });
  schedule
    .command("pause")
    .argument("<name>", "its name")
    .description("hold a schedule back until `schedule unpause`; a run that has begun goes on to its end")
    .option("--reason <text>", "why; Temporal keeps it as the schedule's note")
    .action(async (name: string, { reason }: { readonly reason?: string }) => {
      const { pauseSchedule } = await import("../schedules/steer.js");
      end(await pauseSchedule(terminal, name, reason));
    });
  for (const [name, description, act] of STEERING) {
    schedule
      .command(name)
      .argument("<name>", "its name")
      .description(description)
      .action(async (given: string) => {
        const steer = await import("../schedules/steer.js");
        end(await steer[act](terminal, given));
      });
  }
  schedule
    .command("backfill")
    .argument("<name>", "its name")
    .description("fire a schedule for each time at which it was due in a period, one run after the other")
    .requiredOption("--from <instant>", "begin of the period: 2026-11-21T00:00:00Z", instant)
    .requiredOption("--to <instant>", "its end", instant)
    .action(async (name: string, flags: BackfillFlags) => {
      const { backfillSchedule } = await import("../schedules/steer.js");
      end(await backfillSchedule(terminal, name, flags));
    });
};

const STEERING = [
  ["unpause", "let a paused schedule fire again", "unpauseSchedule"],
  ["trigger", "fire a schedule now; nothing starts while its last run is going on", "triggerSchedule"],
  ["delete", "delete a schedule; a run that has begun goes on to its end", "deleteSchedule"],
] as const;

function timesOfDay(text: string): TimeOfDay[] {
  const times = parseTimesOfDay(text);
  if (times === undefined)
    throw new InvalidArgumentError("accepted: hours and minutes, as 02:15 or 02:15,14:15.");
  return times;
}

function instant(text: string): Date {
  const at = new Date(text);
  if (!/^\d{4}-\d{2}-\d{2}T.*(Z|[+-]\d{2}:\d{2})$/.test(text) || Number.isNaN(at.getTime()))
    throw new InvalidArgumentError("accepted: an instant with its offset, as 2026-11-21T02:15:00Z.");
  return at;
}
