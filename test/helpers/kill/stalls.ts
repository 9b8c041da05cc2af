import type { Interruption } from "./call-audit.js";

/** Temporal gives a step up after ten seconds without a heartbeat, which come every two. */
const STOOD_STILL_MS = 8_000;

/** The SDK keeps a line for at least 100 ms before the log gets it: a step may have made calls by then. */
const LINE_KEPT_MS = 500;

interface LogLine {
  readonly time: string;
  readonly pid: number;
  readonly msg: string;
  readonly workflowRunId?: string;
  readonly activityId: string;
  readonly attempt?: number;
}

interface Attempt {
  readonly pid: number;
  /** When it last told Temporal that it is still working. */
  readonly heardAt: number;
  /** The longest time that it told nothing. */
  readonly silentMs: number;
}

/**
 * The times at which a living worker lost its steps because it got no CPU time from the machine:
 * its log says, at level debug, that a step is begun again whose attempt before had not been heard of for long.
 */
export function stallsIn(log: string, killed: ReadonlySet<number>): Interruption[] {
  const attempts = new Map<string, Attempt>();
  const stalls: Interruption[] = [];
  // A killed process may have left half a line, which runs into the next one's.
  for (const text of log.match(/\{"level":[^\n]*"activityId"[^\n]*\}$/gm) ?? []) {
    const {
      time,
      pid,
      msg,
      workflowRunId,
      activityId,
      attempt = 0,
    } = JSON.parse(text.slice(text.lastIndexOf('{"level":'))) as LogLine;
    const at = Date.parse(time);
    const nameOf = (one: number) => `${workflowRunId} ${activityId} ${one}`;
    const heard = (one: number): Attempt | undefined => {
      const known = attempts.get(nameOf(one));
      return known && { ...known, heardAt: at, silentMs: Math.max(known.silentMs, at - known.heardAt) };
    };
    const known = heard(attempt);
    if (msg === "Activity started") {
      attempts.set(nameOf(attempt), { pid, heardAt: at, silentMs: 0 });
      const before = heard(attempt - 1);
      if (before === undefined || killed.has(before.pid) || before.silentMs < STOOD_STILL_MS) continue;
      stalls.push({ resumedAt: at - LINE_KEPT_MS, survived: true });
    } else if (known !== undefined) attempts.set(nameOf(attempt), known);
  }
  return stalls;
}
