import { instantText, MINUTE, SECOND } from "../duration.js";
import { CATCH_UP_MS } from "../run.js";
import type { Cause } from "./cause.js";
import type { AlertFacts, ScheduleFacts } from "./facts.js";

/** A firing that is younger may still begin. */
export const BEGINS_WITHIN_MS = 10 * MINUTE;
/** What a due time may be off by besides its jitter. */
const INEXACT_MS = SECOND;

/**
 * Whether the newest run that a schedule owes is missing: it was due, and no run has begun since or is still running. A
 * firing that was skipped while the run before was running owes nothing; nor does one that Temporal may yet catch up
 * with.
 */
export function missingRun(schedule: ScheduleFacts, facts: AlertFacts, now: number): Cause[] {
  const { name, dueAt, firings } = schedule;
  const subject = `schedule/${name}`;
  const cause = (words: string, action: string, runId: string | null = null): Cause[] => {
    return [{ rule: "run-missing", subject, message: `schedule ${name}: ${words}`, action, runId }];
  };
  const covered = coveredUntil(schedule, facts, now);
  const [refused] = facts.ended
    .filter((run) => run.schedule === name && run.reason === "not_begun")
    .sort((a, b) => b.finishedAt - a.finishedAt);
  if (refused !== undefined && (refused.dueAt ?? refused.finishedAt) > covered) {
    const due = instantText(refused.dueAt ?? refused.startedAt);
    const why = refused.message?.replace(/\.$/, "");
    const action = `fix that, then nightledger schedule trigger ${name}`;
    return cause(`its run of ${due} did not begin: ${why}`, action, refused.runId);
  }
  if (dueAt === null) return [];
  const from = dueAt - schedule.jitterMs - INEXACT_MS;
  if (covered >= from) return [];
  const [fired] = firings.filter((firing) => firing.dueAt >= from).sort((a, b) => b.dueAt - a.dueAt);
  const was = `was due at ${instantText(fired?.dueAt ?? dueAt)}`;
  if (fired?.runId === null) {
    const action = "start a worker: nightledger dev, or worker with a cluster";
    return cause(`${was}, and its run has not begun`, action);
  }
  if (fired !== undefined) {
    const words = `${was}, and ${fired.runId} has no row in runs: it was given up`;
    return cause(words, `nightledger schedule trigger ${name} runs it again`, fired.runId);
  }
  if (now - dueAt <= CATCH_UP_MS + BEGINS_WITHIN_MS) return [];
  const words = `${was}, and Temporal did not fire it: it was off for too long`;
  return cause(words, `nightledger schedule trigger ${name} runs it now`);
}

/** The instant up to which the runs of a schedule leave nothing owed. */
function coveredUntil({ name, firings }: ScheduleFacts, { ended, going }: AlertFacts, now: number): number {
  const isRunning =
    going.some(({ schedule }) => schedule === name) || firings.some(({ status }) => status === "running");
  if (isRunning) return now;
  const began = ended.filter(({ reason }) => reason !== "not_begun");
  const known = new Set<string | null>(began.map(({ runId }) => runId));
  const own = began.filter(({ schedule }) => schedule === name);
  return Math.max(
    Number.NEGATIVE_INFINITY,
    ...own.map(({ dueAt, finishedAt }) => Math.max(dueAt ?? finishedAt, finishedAt)),
    // A firing may join a run that somebody started by hand, whose row does not name the schedule.
    ...firings.filter(({ runId }) => known.has(runId)).map(({ dueAt }) => dueAt),
  );
}
