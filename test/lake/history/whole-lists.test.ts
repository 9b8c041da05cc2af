import { expect, test } from "vitest";
import { DAY, MINUTE } from "../../../src/domain/duration.js";
import type { Snapshot } from "../../../src/lake/delta/delta-snapshot.js";
import { knownUntil, readingActions } from "../../../src/lake/history/whole-lists.js";

const APP = 'reading/["u","l"]';
const LIST = { fpId: "u", linkId: "l" };
const NOW = Date.now();
const dayNumber = (day: string) => Date.parse(day) / DAY;

function historyOf(version: number | null): Snapshot {
  return { txns: new Map(version === null ? [] : [[APP, { version }]]) } as unknown as Snapshot;
}

function wholeList(window: { from: string | null; until: string | null }, begunAt = NOW) {
  return { ...LIST, readAt: new Date(NOW), window: { ...window, begunAt: new Date(begunAt) } };
}

test.each([
  ["the first reading", null, { from: null, until: "2026-11-20" }, "2026-11-20"],
  ["a later window", "2026-11-20", { from: "2026-10-21", until: "2026-11-22" }, "2026-11-22"],
  ["a window without news", "2026-11-20", { from: "2026-10-21", until: "2026-11-20" }, undefined],
  ["a window of a slower run", "2026-11-20", { from: "2026-10-21", until: "2026-11-18" }, undefined],
  ["a window behind a restored table", "2026-09-01", { from: "2026-10-21", until: "2026-11-22" }, undefined],
  [
    "a window of a table that lost its readings",
    null,
    { from: "2026-10-21", until: "2026-11-22" },
    undefined,
  ],
  ["an empty list", "2026-11-20", { from: null, until: null }, undefined],
  [
    "the whole list, after a clock that ran ahead",
    "2027-11-20",
    { from: null, until: "2026-11-22" },
    "2026-11-22",
  ],
] as const)("%s: known until %s, read %j", (_, known, window, until) => {
  const history = historyOf(known && dayNumber(known));
  const actions = readingActions(history, [wholeList(window)], []);
  expect(actions).toEqual(until === undefined ? [] : [{ txn: { appId: APP, version: dayNumber(until) } }]);
  expect(knownUntil(history, LIST)).toBe(known);
});

const ago = (minutes: number) => NOW - minutes * MINUTE;
const WINDOW = { from: "2026-10-21", until: "2026-11-22" };
const ALL = { from: null, until: "2026-11-22" };
const FILLED = dayNumber(ALL.until);

test.each([
  ["a window that finds one", 20_000, [wholeList(WINDOW)], [5], -ago(5)],
  ["a list with a bad row that finds one", 20_000, [], [5], -ago(5)],
  ["several parts that find one", 20_000, [wholeList(WINDOW)], [9, 5, 7], -ago(5)],
  ["a list of which nothing is known", null, [], [5], -ago(5)],
  ["an older one than that which is known", -ago(5), [], [9], -ago(5)],
  ["a window after one", -ago(60), [wholeList(WINDOW)], [], undefined],
  ["the whole list, which began later", -ago(60), [wholeList(ALL)], [], FILLED],
  ["the whole list, which had begun before", -ago(60), [wholeList(ALL, ago(61))], [], undefined],
  ["the whole list, which began with it", -ago(60), [wholeList(ALL, ago(59))], [], undefined],
  ["the whole list, which is empty", -ago(60), [wholeList({ ...ALL, until: null })], [], undefined],
  ["the whole list, after a clock that ran ahead", -ago(-600), [wholeList(ALL)], [], FILLED],
] as const)("a hole: %s", (_, known, lists, seen, version) => {
  const holes = seen.map((minutes) => ({ ...LIST, seenAt: new Date(ago(minutes)) }));
  const actions = readingActions(historyOf(known), lists, holes);
  expect(actions).toEqual(version === undefined ? [] : [{ txn: { appId: APP, version } }]);
});

test("nothing is known of a list with a hole, until it is filled", () => {
  expect(knownUntil(historyOf(-NOW), LIST)).toBeNull();
  expect(knownUntil(historyOf(dayNumber("0001-01-01")), LIST)).toBe("0001-01-01");
});
