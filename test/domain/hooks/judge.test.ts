import { expect, test } from "vitest";
import type { Hook } from "../../../src/domain/hook-settings.js";
import { hooksOfLate, hooksOfRun, isLate } from "../../../src/domain/hooks/judge.js";

const [C, P, F, X] = ["completed", "completed_with_failures", "failed", "cancelled"] as const;
const ALL: Hook = { on: [C, P, F, X, "recovered", "late"], command: "all" };
const OUTCOMES: Hook = { on: [C, P, F, X], command: "outcomes" };
const EVERY: Hook = { ...OUTCOMES, every: true, command: "every" };
const NIGHTLY = { kind: "sync", schedule: "nightly" };

test.each([
  ["a first run that is well", C, null, [C, C, C]],
  ["a first run that is not", F, null, [F, F, F]],
  ["a failed run after a good one", F, C, [F, F, F]],
  ["a second failed run", F, F, [null, null, F]],
  ["a failed run after one with failures", F, P, [F, F, F]],
  ["the first good run", C, F, ["recovered", C, C]],
  ["the first good run, with failures", P, F, ["recovered", P, P]],
  ["the second good run", C, C, [C, C, C]],
  ["a good run after one with failures", C, P, [C, C, C]],
  ["a cancelled run", X, F, [X, X, X]],
] as const)("%s", (_, outcome, previous, events) => {
  const called = hooksOfRun([ALL, OUTCOMES, EVERY], { ...NIGHTLY, outcome, previous });
  const eventOf = (hook: Hook) => called.find((one) => one.hook === hook)?.event ?? null;
  expect([ALL, OUTCOMES, EVERY].map(eventOf)).toEqual(events);
});

test("a hook that lists nothing of it is not called", () => {
  const hooks: Hook[] = [
    { on: ["recovered"], command: "x" },
    { on: [F], command: "y" },
  ];
  expect(hooksOfRun(hooks, { ...NIGHTLY, outcome: C, previous: C })).toEqual([]);
});

test.each([
  ["sync", NIGHTLY, true],
  ["nightly", NIGHTLY, true],
  ["sync nightly", NIGHTLY, true],
  ["import nightly", NIGHTLY, false],
  ["weekly", NIGHTLY, false],
  ["export cip", { kind: "cip", schedule: null }, true],
  ["cip", { kind: "cip", schedule: null }, true],
  ["export cip monthly", { kind: "cip", schedule: "monthly" }, true],
  ["vault write", { kind: "vault_write", schedule: null }, true],
  ["vault_write", { kind: "vault_write", schedule: null }, true],
  ["vault", { kind: "vault_write", schedule: null }, false],
] as const)("jobs: [%s] is about %j: %s", (job, about, isAbout) => {
  const hook: Hook = { ...ALL, jobs: ["other", job] };
  expect(hooksOfRun([hook], { ...about, outcome: C, previous: null })).toHaveLength(isAbout ? 1 : 0);
  expect(hooksOfLate([hook, OUTCOMES], about)).toHaveLength(isAbout ? 1 : 0);
});

test.each([
  ["not due since", 0, null, 100, false],
  ["exactly as long ago as allowed", 0, 5, 26, false],
  ["longer ago", 0, 5, 27, true],
  ["due only after that time, and just now", 0, 100, 100, false],
  ["due only after that time, and so long ago", 0, 100, 127, true],
] as const)("a schedule whose last run ended, and that was %s", (_, endedAt, dueAt, now, late) => {
  expect(isLate(endedAt, dueAt, 26, now)).toBe(late);
});
