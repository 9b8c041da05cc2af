import { expect, test } from "vitest";
import { DAY } from "../../../src/domain/duration.js";
import type { Snapshot } from "../../../src/lake/delta/delta-snapshot.js";
import { knownUntil, readingActions } from "../../../src/lake/history/whole-lists.js";

const APP = 'reading/["u","l"]';

function historyUntil(day: string | null): Snapshot {
  const version = Date.parse(day ?? "") / DAY;
  return { txns: new Map(day === null ? [] : [[APP, { version }]]) } as unknown as Snapshot;
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
  const history = historyUntil(known);
  const actions = readingActions(history, [{ fpId: "u", linkId: "l", readAt: new Date(), window }]);
  const version = until && Date.parse(until) / DAY;
  expect(actions).toEqual(until === undefined ? [] : [{ txn: { appId: APP, version } }]);
  expect(knownUntil(history, "u", "l")).toBe(known);
});
