import { expect, test } from "vitest";
import type { AlertFacts, EndedRun, KnownFiring, ScheduleFacts } from "../../../src/domain/alerts/facts.js";
import { missingRun } from "../../../src/domain/alerts/judge.js";
import { DAY, HOUR, MINUTE, SECOND } from "../../../src/domain/duration.js";
import { NO_REASON } from "../../../src/domain/run.js";

const NOW = Date.parse("2026-11-22T03:00:00Z");
const DUE = Date.parse("2026-11-22T02:15:00Z");

const nightly = (firings: KnownFiring[] = [], changes: Partial<ScheduleFacts> = {}): ScheduleFacts => ({
  name: "nightly",
  jitterMs: 0,
  dueAt: DUE,
  firings,
  ...changes,
});
const row = (changes: Partial<EndedRun> = {}): EndedRun => ({
  runId: "sync-1",
  kind: "sync",
  schedule: "nightly",
  dueAt: DUE,
  startedAt: DUE,
  finishedAt: DUE + MINUTE,
  status: "completed",
  ...NO_REASON,
  ...changes,
});
const lastNight = row({ runId: "sync-0", dueAt: DUE - DAY, finishedAt: DUE - DAY + MINUTE });
const fired = (runId: string | null, status: KnownFiring["status"] = null): KnownFiring => ({
  dueAt: DUE,
  runId,
  status,
});
const facts = (ended: EndedRun[], going: AlertFacts["going"] = []): AlertFacts => ({
  firstSyncAt: null,
  newestSync: null,
  failedLinks: { count: 0, runId: null },
  openQuarantine: 0,
  otherSubjects: { count: 0, runId: null },
  ended,
  going,
  schedules: [],
});
const refused = row({ runId: "sync-2", reason: "not_begun", message: "users.csv is not there." });

test.each<[string, ScheduleFacts, AlertFacts, number, RegExp | undefined]>([
  ["its run has a row", nightly([fired("sync-1", "completed")]), facts([row()]), NOW, undefined],
  ["it was never due", nightly([], { dueAt: null }), facts([]), NOW, undefined],
  ["its run is running", nightly([fired("sync-1", "running")]), facts([lastNight]), NOW, undefined],
  [
    "the run of the night before is still running, so it was skipped",
    nightly(),
    facts([], [{ runId: "sync-0", kind: "sync", schedule: "nightly", startedAt: DUE - DAY }]),
    NOW + DAY,
    undefined,
  ],
  [
    "the run before ended after it was due, so it was skipped",
    nightly(),
    facts([row({ runId: "sync-0", dueAt: DUE - HOUR, finishedAt: DUE + MINUTE })]),
    NOW + DAY,
    undefined,
  ],
  [
    "it joined a run that was started by hand",
    nightly([fired("sync-7", "completed")]),
    facts([lastNight, row({ runId: "sync-7", schedule: null, dueAt: null })]),
    NOW,
    undefined,
  ],
  [
    "no worker has taken it up",
    nightly([fired(null)]),
    facts([lastNight]),
    NOW,
    /^schedule nightly: was due at 2026-11-22T02:15:00Z, and its run has not begun$/,
  ],
  [
    "its run was terminated",
    nightly([fired("sync-1", "cancelled")]),
    facts([lastNight]),
    NOW,
    /sync-1 has no row in runs/,
  ],
  [
    "it did not begin",
    nightly([]),
    facts([lastNight, refused]),
    NOW,
    /did not begin: users\.csv is not there$/,
  ],
  [
    "it did not begin a second ago",
    nightly([], { dueAt: DUE - DAY }),
    facts([lastNight, refused]),
    DUE + SECOND,
    /did not begin/,
  ],
  [
    "it did not begin, and the next one did",
    nightly([]),
    facts([row({ ...refused, dueAt: DUE - DAY, finishedAt: DUE - DAY }), row()]),
    NOW,
    undefined,
  ],
  ["Temporal was off, and may catch up", nightly(), facts([lastNight]), NOW, undefined],
  ["Temporal was off for too long", nightly(), facts([lastNight]), DUE + 7 * HOUR, /did not fire it/],
  [
    "a row within its jitter is its own",
    nightly([], { jitterMs: 10 * MINUTE }),
    facts([row({ dueAt: DUE - 9 * MINUTE, finishedAt: DUE - 8 * MINUTE })]),
    DUE + 7 * HOUR,
    undefined,
  ],
])("%s", (_, schedule, known, now, message) => {
  const causes = missingRun(schedule, known, now);
  expect(causes).toHaveLength(message === undefined ? 0 : 1);
  if (message !== undefined)
    expect(causes[0]).toMatchObject({ subject: "schedule/nightly", message: expect.stringMatching(message) });
});
