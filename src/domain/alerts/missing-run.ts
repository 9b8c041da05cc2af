import { MINUTE, SECOND } from "../duration.js";
import { CATCH_UP_MS } from "../run.js";
import type { AlertFacts, EndedRun, ScheduleFacts } from "./facts.js";
import { instantWords } from "./span.js";

/** A firing that is younger may still begin. */
export const BEGINS_WITHIN_MS = 10 * MINUTE;
/** What a due time may be off by besides its jitter. */
const INEXACT_MS = SECOND;

interface MissingRun {
  readonly rule: "run-missing";
  readonly subject: string;
  readonly message: string;
  readonly action: string;
  readonly runId: string | null;
}

/**
 * Whether the newest run that a schedule owes is missing: it was due, no run has been since, and none goes on. A firing
 * that is skipped because the run before goes on owes nothing; nor does a schedule that Temporal may yet catch up with.
 */
export function missingRun(schedule: ScheduleFacts, facts: AlertFacts, now: number): MissingRun[] {
  const { name, dueAt, firings } = schedule;
  const cause = (message: string, action: string, runId: string | null = null): MissingRun[] => [
    {
      rule: "run-missing",
      subject: `schedule/${name}`,
      message: `schedule ${name}: ${message}`,
      action,
      runId,
    },
  ];
  const covered = coveredUntil(schedule, facts, now);
  const refused = newest(facts.ended.filter((run) => run.schedule === name && run.message !== null));
  if (refused !== undefined && (refused.dueAt ?? refused.finishedAt) > covered) {
    const due = instantWords(refused.dueAt ?? refused.startedAt);
    return cause(
      `its run of ${due} did not begin: ${refused.message?.replace(/\.$/, "")}`,
      `fix that, then nightledger schedule trigger ${name}`,
      refused.runId,
    );
  }
  if (dueAt === null) return [];
  const from = dueAt - schedule.jitterMs - INEXACT_MS;
  if (covered >= from) return [];
  const fired = firings.filter((firing) => firing.dueAt >= from).sort((a, b) => b.dueAt - a.dueAt)[0];
  const was = `was due at ${instantWords(fired?.dueAt ?? dueAt)}`;
  if (fired?.runId === null) {
    return cause(
      `${was}, and its run has not begun`,
      "start a worker: nightledger dev, or worker with a cluster",
    );
  }
  if (fired !== undefined) {
    return cause(
      `${was}, and ${fired.runId} has no row in runs: it was given up`,
      `nightledger schedule trigger ${name} runs it again`,
      fired.runId,
    );
  }
  if (now - dueAt <= CATCH_UP_MS + BEGINS_WITHIN_MS) return [];
  return cause(
    `${was}, and Temporal did not fire it: it was off for too long`,
    `nightledger schedule trigger ${name} runs it now`,
  );
}

/** Up to when the runs of a schedule leave nothing owed. */
function coveredUntil({ name, firings }: ScheduleFacts, { ended, going }: AlertFacts, now: number): number {
  const began = ended.filter(({ message }) => message === null);
  const known = new Set(began.map(({ runId }) => runId));
  const isGoing =
    going.some(({ schedule }) => schedule === name) || firings.some(({ status }) => status === "running");
  if (isGoing) return now;
  return Math.max(
    Number.NEGATIVE_INFINITY,
    ...began
      .filter(({ schedule }) => schedule === name)
      .map(({ dueAt, finishedAt }) => Math.max(dueAt ?? finishedAt, finishedAt)),
    // A run that somebody had started by hand, and that the firing joined, is no row of the schedule's own.
    ...firings.filter(({ runId }) => runId !== null && known.has(runId)).map(({ dueAt }) => dueAt),
  );
}

function newest(runs: readonly EndedRun[]): EndedRun | undefined {
  return [...runs].sort((a, b) => b.finishedAt - a.finishedAt)[0];
}
