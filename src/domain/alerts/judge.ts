import type { AlertRules, RuleName } from "../alert-settings.js";
import { DAY } from "../duration.js";
import type { AlertFacts, EndedRun, GoingRun } from "./facts.js";
import { missingRun } from "./missing-run.js";
import { spanWords } from "./span.js";

/** Something that a rule forbids and that is so. */
export interface Cause {
  readonly rule: RuleName;
  /** What it is about; with the rule it tells one cause from another. */
  readonly subject: string;
  readonly message: string;
  /** What somebody has to do. */
  readonly action: string;
  /** The run to look at; null for none. */
  readonly runId: string | null;
}

/** What the rules find in the facts. Pure. @param now epoch milliseconds */
export function judge(rules: AlertRules, facts: AlertFacts, now: number): Cause[] {
  return [
    ...tooOld(rules["max-age"], facts, now),
    ...failedLinks(rules["failed-links"], facts),
    ...openQuarantine(rules["open-quarantine"], facts),
    ...(rules["run-missing"] === true ? facts.schedules.flatMap((one) => missingRun(one, facts, now)) : []),
    ...tooLong(rules["run-longer-than"], facts, now),
  ];
}

function tooOld(limit: number | undefined, { newestSync, firstSyncAt }: AlertFacts, now: number): Cause[] {
  const since = newestSync?.finishedAt ?? firstSyncAt;
  if (limit === undefined || since === null || now - since <= limit) return [];
  const message =
    newestSync === null
      ? `no sync was ever completed, and the first one began ${spanWords(now - since)} ago`
      : `the newest completed sync ended ${spanWords(now - since)} ago; allowed: ${spanWords(limit)}`;
  const action = "nightledger schedule list shows when syncs run; nightledger sync runs one now";
  return [{ rule: "max-age", subject: "sync", message, action, runId: newestSync?.runId ?? null }];
}

function failedLinks(limit: number | undefined, { failedLinks: { count, runId } }: AlertFacts): Cause[] {
  if (limit === undefined || count <= limit) return [];
  const links = count === 1 ? "1 bank link" : `${count} bank links`;
  const message = `${links} failed when last read; allowed: ${limit}`;
  const action = `nightledger runs show ${runId} says why; nightledger runs retry ${runId} reads them again`;
  return [{ rule: "failed-links", subject: "links", message, action, runId }];
}

function openQuarantine(limit: number | undefined, { openQuarantine: rows }: AlertFacts): Cause[] {
  if (limit === undefined || rows <= limit) return [];
  const message = `${rows === 1 ? "1 row is" : `${rows} rows are`} open in quarantine; allowed: ${limit}`;
  const action = "nightledger quarantine list shows them, and what closes each";
  return [{ rule: "open-quarantine", subject: "quarantine", message, action, runId: null }];
}

/** Of each schedule, and of each kind that nobody scheduled: a run that goes on, else the newest of the last day. */
function tooLong(limit: number | undefined, { ended, going }: AlertFacts, now: number): Cause[] {
  if (limit === undefined) return [];
  const recent = ended.filter(({ finishedAt, message }) => message === null && now - finishedAt <= DAY);
  const isEnded = new Set(ended.map(({ runId }) => runId));
  const open = going.filter(({ runId }) => !isEnded.has(runId));
  const subjects = [...new Set([...open, ...recent].map(subjectOf))].sort();
  return subjects.flatMap((subject) => {
    const slow = open.find((run) => subjectOf(run) === subject && now - run.startedAt > limit);
    if (slow !== undefined) return [longRun(subject, slow.runId, now - slow.startedAt, limit, "goes on")];
    const newest = recent
      .filter((run) => subjectOf(run) === subject)
      .reduce<EndedRun | undefined>(
        (last, run) => ((last?.finishedAt ?? 0) > run.finishedAt ? last : run),
        undefined,
      );
    const took = newest === undefined ? 0 : newest.finishedAt - newest.startedAt;
    return newest === undefined || took <= limit
      ? []
      : [longRun(subject, newest.runId, took, limit, "ended")];
  });
}

function longRun(
  subject: string,
  runId: string,
  took: number,
  limit: number,
  how: "goes on" | "ended",
): Cause {
  const state = how === "ended" ? `took ${spanWords(took)}` : `has been going on for ${spanWords(took)}`;
  const message = `${runId} ${state}; allowed: ${spanWords(limit)}`;
  const action = `nightledger runs show ${runId} says what it ${how === "ended" ? "waited for" : "waits for"}`;
  return { rule: "run-longer-than", subject, message, action, runId };
}

function subjectOf({ schedule, kind }: EndedRun | GoingRun): string {
  return schedule === null ? kind : scheduleSubject(schedule);
}

function scheduleSubject(name: string): string {
  return `schedule/${name}`;
}
