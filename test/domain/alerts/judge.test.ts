import { expect, test } from "vitest";
import type { AlertRules } from "../../../src/domain/alert-settings.js";
import type { AlertFacts, EndedRun, GoingRun } from "../../../src/domain/alerts/facts.js";
import { judge } from "../../../src/domain/alerts/judge.js";
import { DAY, HOUR, MINUTE } from "../../../src/domain/duration.js";
import { NO_REASON } from "../../../src/domain/run.js";

const NOW = Date.parse("2026-11-22T12:00:00Z");

const facts = (changes: Partial<AlertFacts> = {}): AlertFacts => ({
  firstSyncAt: NOW - 30 * DAY,
  newestSync: { runId: "sync-1", finishedAt: NOW - HOUR },
  failedLinks: { count: 0, runId: null },
  openQuarantine: 0,
  otherSubjects: { count: 0, runId: null },
  ended: [],
  going: [],
  schedules: [],
  ...changes,
});
const ended = (changes: Partial<EndedRun> = {}): EndedRun => ({
  runId: "sync-1",
  kind: "sync",
  schedule: "nightly",
  dueAt: null,
  startedAt: NOW - 5 * HOUR,
  finishedAt: NOW - 2 * HOUR,
  status: "completed",
  ...NO_REASON,
  ...changes,
});
const going = (changes: Partial<GoingRun> = {}): GoingRun => ({
  runId: "sync-2",
  kind: "sync",
  schedule: "nightly",
  startedAt: NOW - 3 * HOUR,
  ...changes,
});
const FAILED = ended({ status: "failed", reason: "lake_full", message: "No space left." });
const found = (rules: AlertRules, changes: Partial<AlertFacts> = {}) =>
  judge(rules, facts(changes), NOW).map(({ rule, subject, message }) => `${rule} ${subject}: ${message}`);

const AGE = { "max-age": 36 * HOUR };
const LONG = { "run-longer-than": 2 * HOUR };
const old = { runId: "sync-1", finishedAt: NOW - 41 * HOUR };

test.each<[string, AlertRules, Partial<AlertFacts>, string[]]>([
  ["no rule, no cause", {}, { newestSync: old, openQuarantine: 9 }, []],
  ["a young sync", AGE, {}, []],
  ["a sync exactly as old as allowed", AGE, { newestSync: { runId: "s", finishedAt: NOW - 36 * HOUR } }, []],
  [
    "a run of a schedule failed",
    { "failed-run": true },
    { ended: [FAILED] },
    ["failed-run schedule/nightly (lake_full): sync-1 failed: No space left"],
  ],
  [
    "it failed, and the next one did not",
    { "failed-run": true },
    { ended: [FAILED, ended({ runId: "sync-2", finishedAt: NOW - HOUR })] },
    [],
  ],
  [
    "a run of another schedule ended well",
    { "failed-run": true },
    { ended: [FAILED, ended({ schedule: "weekly", finishedAt: NOW })] },
    ["failed-run schedule/nightly (lake_full): sync-1 failed: No space left"],
  ],
  [
    "it failed more than a week ago",
    { "failed-run": true },
    { ended: [{ ...FAILED, finishedAt: NOW - 8 * DAY }] },
    [],
  ],
  ["a failed run while the rule is off", { "failed-run": false }, { ended: [FAILED] }, []],
  ["somebody cancelled a run", { "failed-run": true }, { ended: [ended({ status: "cancelled" })] }, []],
  [
    "a run did not begin",
    { "failed-run": true },
    { ended: [{ ...FAILED, reason: "not_begun", schedule: "nightly" }] },
    ["failed-run schedule/nightly (not_begun): sync-1 failed: No space left"],
  ],
  [
    "a run did not begin, which another rule tells of",
    { "failed-run": true, "run-missing": true },
    { ended: [{ ...FAILED, reason: "not_begun" }] },
    [],
  ],
  [
    "an old sync",
    AGE,
    { newestSync: old },
    ["max-age sync: the newest completed sync ended 1d17h ago; allowed: 1d12h"],
  ],
  ["a lake without a sync", AGE, { newestSync: null, firstSyncAt: null }, []],
  ["a lake whose first sync is young", AGE, { newestSync: null, firstSyncAt: NOW - HOUR }, []],
  [
    "a lake whose syncs all fail",
    AGE,
    { newestSync: null, firstSyncAt: NOW - 48 * HOUR },
    ["max-age sync: no sync has ever completed, and the first one began 2d ago"],
  ],
  ["as many failed links as allowed", { "failed-links": 2 }, { failedLinks: { count: 2, runId: "s" } }, []],
  [
    "a failed link",
    { "failed-links": 0 },
    { failedLinks: { count: 1, runId: "s" } },
    ["failed-links links: 1 bank link failed when last read; allowed: 0"],
  ],
  ["nobody's answer was about others", { "another-subject": 0 }, {}, []],
  [
    "an answer was about others",
    { "another-subject": 0 },
    { otherSubjects: { count: 1, runId: "s" } },
    [
      "another-subject answers: 1 user, link or row failed in the newest runs because answers were about others; allowed: 0",
    ],
  ],
  [
    "a rule that is turned off",
    { "another-subject": false },
    { otherSubjects: { count: 9, runId: "s" } },
    [],
  ],
  ["as many open rows as allowed", { "open-quarantine": 3 }, { openQuarantine: 3 }, []],
  [
    "open rows",
    { "open-quarantine": 3 },
    { openQuarantine: 4 },
    ["open-quarantine quarantine: 4 rows are open in quarantine; allowed: 3"],
  ],
  [
    "a run that is running for too long",
    LONG,
    { going: [going()] },
    ["run-longer-than schedule/nightly: sync-2 has been running for 3h; allowed: 2h"],
  ],
  [
    "a run that took too long, and one of another kind that did not",
    LONG,
    { ended: [ended(), ended({ runId: "cip-1", kind: "cip", schedule: null, startedAt: NOW - 3 * HOUR })] },
    ["run-longer-than schedule/nightly: sync-1 took 3h; allowed: 2h"],
  ],
  [
    "one that nobody scheduled is known by its kind",
    LONG,
    { ended: [ended({ schedule: null })] },
    ["run-longer-than sync: sync-1 took 3h; allowed: 2h"],
  ],
  [
    "a long run, and a quick one after it",
    LONG,
    { ended: [ended(), ended({ runId: "sync-3", startedAt: NOW - HOUR, finishedAt: NOW - MINUTE })] },
    [],
  ],
  [
    "a long run, and one that has been running for a minute",
    LONG,
    { ended: [ended()], going: [going({ startedAt: NOW - MINUTE })] },
    ["run-longer-than schedule/nightly: sync-1 took 3h; allowed: 2h"],
  ],
  [
    "a long run of yesterday",
    LONG,
    { ended: [ended({ startedAt: NOW - 40 * HOUR, finishedAt: NOW - 25 * HOUR })] },
    [],
  ],
  [
    "a run that has its row counts as ended, whatever Temporal still says",
    LONG,
    { ended: [ended({ startedAt: NOW - HOUR, finishedAt: NOW })], going: [going({ runId: "sync-1" })] },
    [],
  ],
])("%s", (_, rules, changes, causes) => {
  expect(found(rules, changes)).toEqual(causes);
});

test("a cause says what to do, and names its run", () => {
  const [cause] = judge({ "failed-links": 0 }, facts({ failedLinks: { count: 3, runId: "sync-9" } }), NOW);
  expect(cause).toMatchObject({ runId: "sync-9", action: expect.stringContaining("runs retry sync-9") });
});

test("what to do about an old sync is a whole command", () => {
  const [cause] = judge(AGE, facts({ newestSync: old }), NOW);
  expect(cause?.action).toContain("nightledger sync --roster <file> runs one now");
});
