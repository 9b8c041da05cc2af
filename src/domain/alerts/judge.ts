import type { AlertRules } from "../alert-settings.js";
import { DAY, durationWords, instantText, MINUTE, SECOND } from "../duration.js";
import { againWords, CATCH_UP_MS } from "../run.js";
import { counted } from "../words/counted.js";
import type { AlertFacts, EndedRun, GoingRun, ScheduleFacts } from "./facts.js";
import type { Cause } from "./transitions.js";

const WEEK = 7 * DAY;

/** What the rules find in the facts. Pure. @param now epoch milliseconds */
export function judge(rules: AlertRules, facts: AlertFacts, now: number): Cause[] {
  return [
    ...failedRuns(rules, facts, now),
    ...otherSubjects(rules["another-subject"], facts),
    ...tooOld(rules["max-age"], facts, now),
    ...failedLinks(rules["failed-links"], facts),
    ...openQuarantine(rules["open-quarantine"], facts),
    ...(rules["run-missing"] === true ? facts.schedules.flatMap((one) => missingRun(one, facts, now)) : []),
    ...tooLong(rules["run-longer-than"], facts, now),
  ];
}

/** Judges the newest run of each schedule, and of each kind that nobody scheduled; one that is a week old is forgotten. */
function failedRuns(rules: AlertRules, { ended }: AlertFacts, now: number): Cause[] {
  if (rules["failed-run"] !== true) return [];
  const newest = new Map<string, EndedRun>();
  for (const run of [...ended].sort((a, b) => a.finishedAt - b.finishedAt)) newest.set(subjectOf(run), run);
  return [...newest].flatMap(([subject, run]) => {
    const { runId, status, reason, message, finishedAt, schedule } = run;
    // A run that did not begin is one that is missing, where that is judged.
    if (reason === "not_begun" && rules["run-missing"] === true) return [];
    if (status !== "failed" || now - finishedAt > WEEK) return [];
    const action = againWords(run, { run_id: runId, schedule }) ?? "";
    // Another reason is another cause, and is told of.
    const about = `${subject} (${reason})`;
    return [
      {
        rule: "failed-run",
        subject: about,
        message: `${runId} failed: ${withoutStop(message)}`,
        action,
        runId,
      },
    ];
  });
}

function withoutStop(words: string | null): string {
  return words?.replace(/\.$/, "") ?? "";
}

function tooOld(limit: number | undefined, { newestSync, firstSyncAt }: AlertFacts, now: number): Cause[] {
  const since = newestSync?.finishedAt ?? firstSyncAt;
  if (limit === undefined || since === null || now - since <= limit) return [];
  const age = durationWords(now - since);
  const message =
    newestSync === null
      ? `no sync has ever completed, and the first one began ${age} ago`
      : `the newest completed sync ended ${age} ago; allowed: ${durationWords(limit)}`;
  const action =
    "nightledger schedule list shows when syncs run; nightledger sync --roster <file> runs one now";
  return [{ rule: "max-age", subject: "sync", message, action, runId: newestSync?.runId ?? null }];
}

function otherSubjects(
  limit: AlertRules["another-subject"],
  { otherSubjects: { count, runId } }: AlertFacts,
): Cause[] {
  if (limit === undefined || limit === false || count <= limit) return [];
  const failed = counted(count, "user, link or row", "users, links or rows");
  const message = `${failed} failed in the newest runs because answers were about others; allowed: ${limit}`;
  const action = `find out what mixes up answers, a proxy or a cache; then nightledger runs retry ${runId}`;
  return [{ rule: "another-subject", subject: "answers", message, action, runId }];
}

function failedLinks(limit: number | undefined, { failedLinks: { count, runId } }: AlertFacts): Cause[] {
  if (limit === undefined || count <= limit) return [];
  const links = counted(count, "bank link");
  const message = `${links} failed when last read; allowed: ${limit}`;
  const action = `nightledger runs show ${runId} says why; nightledger runs retry ${runId} reads them again`;
  return [{ rule: "failed-links", subject: "links", message, action, runId }];
}

function openQuarantine(limit: number | undefined, { openQuarantine: rows }: AlertFacts): Cause[] {
  if (limit === undefined || rows <= limit) return [];
  const message = `${counted(rows, "row is", "rows are")} open in quarantine; allowed: ${limit}`;
  const action = "nightledger quarantine list shows them, and what closes each";
  return [{ rule: "open-quarantine", subject: "quarantine", message, action, runId: null }];
}

/** Judges each schedule, and each kind of unscheduled runs, by its running run, or else its newest one of the last day. */
function tooLong(limit: number | undefined, { ended, going }: AlertFacts, now: number): Cause[] {
  if (limit === undefined) return [];
  const recent = ended
    .filter(({ finishedAt, reason }) => reason !== "not_begun" && now - finishedAt <= DAY)
    .sort((a, b) => b.finishedAt - a.finishedAt);
  const hasEnded = new Set(ended.map(({ runId }) => runId));
  const open = going.filter(({ runId }) => !hasEnded.has(runId));
  return [...new Set([...open, ...recent].map(subjectOf))].sort().flatMap((subject) => {
    const isOwn = (run: GoingRun) => subjectOf(run) === subject;
    const slow = open.find((run) => isOwn(run) && now - run.startedAt > limit);
    const newest = recent.find(isOwn);
    const run = slow ?? newest;
    if (run === undefined) return [];
    const { runId, startedAt } = run;
    const took = (slow === undefined ? (newest?.finishedAt ?? 0) : now) - startedAt;
    if (took <= limit) return [];
    const state = slow === undefined ? "took" : "has been running for";
    const message = `${runId} ${state} ${durationWords(took)}; allowed: ${durationWords(limit)}`;
    const waits = slow === undefined ? "waited for" : "waits for";
    const action = `nightledger runs show ${runId} says what it ${waits}`;
    return [{ rule: "run-longer-than", subject, message, action, runId }];
  });
}

function subjectOf({ schedule, kind }: GoingRun): string {
  return schedule === null ? kind : `schedule/${schedule}`;
}

/** A firing that is younger may still begin. */
export const BEGINS_WITHIN_MS = 10 * MINUTE;
/** What a due time may be off by besides its jitter. */
const INEXACT_MS = SECOND;

/**
 * Whether the newest run that a schedule owes is missing: it was due, and no run has begun since or is still running. One that
 * was skipped while the run before was running, or that Temporal may yet catch up with, is not owed.
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
