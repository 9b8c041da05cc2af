import { expect, test } from "vitest";
import { isWorthBringingUp } from "../../../src/domain/sync/stragglers.js";

const NOW = 1_000_000;
const waits = { waitsUntil: NOW + 1, rowsCommitted: 5 };
const waited = { waitsUntil: NOW, rowsCommitted: 5 };
const works = { waitsUntil: null, rowsCommitted: 5 };

test.for([
  ["its only group waits, and rows are committed", [waits], 5, 0, true],
  ["all groups wait", [waits, waits], 10, 5, true],
  ["one of them works", [waits, works], 10, 0, false],
  ["one of them is at it again", [waits, waited], 10, 0, false],
  ["nothing is committed", [waits], 0, 0, false],
  ["what is committed is brought up", [waits], 5, 5, false],
  ["no group goes on", [], 5, 0, false],
] as const)("a run of which %s", ([_, groups, committed, broughtUp, isWorth]) => {
  expect(isWorthBringingUp(groups, committed, broughtUp, NOW)).toBe(isWorth);
});
