import type { Interruption } from "./call-audit.js";

/** Temporal gives a step up after ten seconds without a heartbeat, which come every two. */
const STOOD_STILL_MS = 8_000;

interface LogLine {
  readonly time: string;
  readonly pid: number;
  readonly msg: string;
  readonly workflowRunId?: string;
  readonly activityId: string;
  readonly attempt?: number;
}

/** An attempt of a step as the log tells of it. */
interface Attempt {
  readonly pid: number;
  readonly startedAt: number;
  /** When it last told Temporal that it goes on. */
  readonly heardAt: number;
}

/**
 * The times at which a living worker lost its steps because it had stood still, as the machine had no time for it:
 * its log says, at level debug, that a step is begun again whose attempt before had not been heard of for long.
 */
export function stallsIn(log: string, killed: ReadonlySet<number>): Interruption[] {
  const attempts = new Map<string, Attempt>();
  const stalls: Interruption[] = [];
  // A killed process may have left half a line.
  for (const text of log.split("\n").filter((one) => /^\{.*"activityId".*\}$/.test(one))) {
    const { time, pid, msg, workflowRunId, activityId, attempt = 0 } = JSON.parse(text) as LogLine;
    const at = Date.parse(time);
    const nameOf = (one: number) => `${workflowRunId} ${activityId} ${one}`;
    if (msg === "Got activity heartbeat" || /^Activity completed$|^Activity failed$/.test(msg)) {
      const known = attempts.get(nameOf(attempt));
      if (known !== undefined) attempts.set(nameOf(attempt), { ...known, heardAt: at });
    } else if (msg === "Activity started") {
      attempts.set(nameOf(attempt), { pid, startedAt: at, heardAt: at });
      const before = attempts.get(nameOf(attempt - 1));
      if (before === undefined || killed.has(before.pid) || at - before.heardAt < STOOD_STILL_MS) continue;
      stalls.push({ resumedAt: at, survived: true });
    }
  }
  return stalls;
}
