import { type ScheduleHandle, ScheduleNotFoundError, ScheduleOverlapPolicy } from "@temporalio/client";
import { scheduleId } from "../../domain/schedules/scheduled-run.js";
import type { Terminal } from "../terminal/terminal.js";
import { noSchedule, withSchedules } from "./described.js";

interface BackfillFlags {
  readonly from: Date;
  readonly to: Date;
}

export function pauseSchedule(
  terminal: Terminal,
  name: string,
  { reason = "paused by its user" }: { readonly reason?: string },
): Promise<void> {
  return steer(terminal, name, (handle) => handle.pause(reason), "is paused");
}

export function unpauseSchedule(terminal: Terminal, name: string): Promise<void> {
  // `run-missing` ignores what was due before the update that Temporal records.
  const unpause = (handle: ScheduleHandle) =>
    handle.update(({ state, ...schedule }) => ({
      ...schedule,
      state: { ...state, paused: false, note: "unpaused by its user" },
    }));
  return steer(terminal, name, unpause, "fires again");
}

/** Starts nothing while its last run goes on. */
export function triggerSchedule(terminal: Terminal, name: string): Promise<void> {
  const words = "is triggered: a run begins, unless the one before is still running";
  return steer(terminal, name, (handle) => handle.trigger(ScheduleOverlapPolicy.SKIP), words, true);
}

/** Fires once for each due time of a period, one run after another. */
export function backfillSchedule(
  terminal: Terminal,
  name: string,
  { from: start, to: end }: BackfillFlags,
): Promise<void> {
  const period = { start, end, overlap: ScheduleOverlapPolicy.BUFFER_ALL };
  return steer(terminal, name, (handle) => handle.backfill(period), "fires for that period", true);
}

/** A run in progress continues. */
export function deleteSchedule(terminal: Terminal, name: string): Promise<void> {
  const words = "is deleted; a run of it that has begun continues";
  return steer(terminal, name, (handle) => handle.delete(), words);
}

async function steer(
  terminal: Terminal,
  name: string,
  act: (handle: ScheduleHandle) => Promise<void>,
  done: string,
  starts = false,
): Promise<void> {
  return withSchedules(terminal, async ({ temporal: { client, embedded }, preflight: { scope } }) => {
    await act(client.schedule.getHandle(scheduleId(scope, name))).catch((error: unknown) => {
      throw error instanceof ScheduleNotFoundError ? noSchedule(name) : error;
    });
    terminal.say(`schedule ${name} ${done}`);
    if (embedded && starts) terminal.say("in embedded mode, runs begin while `nightledger dev` runs here");
  });
}
