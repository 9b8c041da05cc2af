import { describe, expect, it } from "vitest";
import { decideStart, earliestStart } from "../../../src/domain/service/call-pace.js";

const NOW = 1_000_000;
const IDLE = { active: 0, pausedUntil: 0, nextAt: 0 };
const FREE = { concurrency: 2, intervalMs: 0 };
const PACED = { concurrency: 2, intervalMs: 100 };

describe("a call starts", () => {
  it.each([
    ["at once where nothing holds it", IDLE, FREE, { active: 1, pausedUntil: 0, nextAt: NOW }],
    ["and moves the next start by the pace", IDLE, PACED, { active: 1, pausedUntil: 0, nextAt: NOW + 100 }],
    [
      "within the slack of the pace",
      { ...IDLE, nextAt: NOW + 10 },
      PACED,
      { ...IDLE, active: 1, nextAt: NOW + 110 },
    ],
    [
      "after a pause that is over",
      { ...IDLE, pausedUntil: NOW },
      FREE,
      { active: 1, pausedUntil: NOW, nextAt: NOW },
    ],
  ])("%s", (_, pace, limits, next) => expect(decideStart(pace, limits, NOW)).toEqual(next));
});

describe("a call waits", () => {
  it.each([
    ["for another to end", { ...IDLE, active: 2 }, FREE, "full"],
    ["for the pause to end", { ...IDLE, pausedUntil: NOW + 50 }, FREE, NOW + 50],
    ["for its turn by the pace", { ...IDLE, nextAt: NOW + 100 }, PACED, NOW + 90],
    ["for the later of the two", { ...IDLE, nextAt: NOW + 100, pausedUntil: NOW + 95 }, PACED, NOW + 95],
  ])("%s", (_, pace, limits, until) => expect(decideStart(pace, limits, NOW)).toBe(until));
});

it("calls ahead in the queue push the earliest start back by the pace", () => {
  expect(earliestStart(IDLE, PACED, 3, NOW)).toBe(NOW + 290);
  expect(earliestStart(IDLE, FREE, 3, NOW)).toBe(NOW);
});
