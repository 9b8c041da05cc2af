import {
  type Client,
  type ScheduleHandle,
  ScheduleNotFoundError,
  ScheduleOverlapPolicy,
} from "@temporalio/client";
import { scheduleId } from "../../domain/schedules/scheduled-run.js";
import type { Terminal } from "../terminal/terminal.js";
import { noSchedule } from "./described.js";
import { withSchedules } from "./session.js";

/** Periods of the past that a schedule is run for again. */
export interface BackfillFlags {
  readonly from: Date;
  readonly to: Date;
}

/** Holds a schedule back: it fires no more until `unpause`. The exit code. */
export function pauseSchedule(terminal: Terminal, name: string, reason: string | undefined): Promise<number> {
  return steer(terminal, name, (handle) => handle.pause(reason ?? "paused by its user"), "is paused");
}

export function unpauseSchedule(terminal: Terminal, name: string): Promise<number> {
  // As a change of the schedule, which tells when it was made: what was due before is owed to nobody.
  const unpause = (handle: ScheduleHandle) =>
    handle.update(({ state, ...schedule }) => ({
      ...schedule,
      state: { ...state, paused: false, note: "unpaused by its user" },
    }));
  return steer(terminal, name, unpause, "fires again");
}

/** Fires a schedule now; where its last run is still going on, nothing is started. The exit code. */
export function triggerSchedule(terminal: Terminal, name: string): Promise<number> {
  const words = "is triggered: a run begins, unless the one before is still going on";
  return steer(terminal, name, (handle) => handle.trigger(ScheduleOverlapPolicy.SKIP), words, true);
}

/** Fires a schedule once for each time at which it was due in a period, one run after the other; the exit code. */
export function backfillSchedule(
  terminal: Terminal,
  name: string,
  { from: start, to: end }: BackfillFlags,
): Promise<number> {
  const overlap = ScheduleOverlapPolicy.BUFFER_ALL;
  return steer(
    terminal,
    name,
    (handle) => handle.backfill({ start, end, overlap }),
    "fires for that period",
    true,
  );
}

/** Deletes a schedule; a run of it that is going on goes on. The exit code. */
export function deleteSchedule(terminal: Terminal, name: string): Promise<number> {
  return steer(
    terminal,
    name,
    (handle) => handle.delete(),
    "is deleted; a run of it that has begun goes on to its end",
  );
}

async function steer(
  terminal: Terminal,
  name: string,
  act: (handle: ScheduleHandle) => Promise<void>,
  done: string,
  starts = false,
): Promise<number> {
  return withSchedules(terminal, async ({ temporal: { client, embedded }, preflight: { scope } }) => {
    await unlessMissing(client, scope, name, act);
    terminal.say(`schedule ${name} ${done}`);
    if (embedded && starts) terminal.say("in embedded mode, runs begin while `nightledger dev` runs here");
  });
}

async function unlessMissing(
  client: Client,
  scope: string,
  name: string,
  act: (handle: ScheduleHandle) => Promise<void>,
): Promise<void> {
  try {
    await act(client.schedule.getHandle(scheduleId(scope, name)));
  } catch (error) {
    throw error instanceof ScheduleNotFoundError ? noSchedule(name) : error;
  }
}
