import { describe, expect, it } from "vitest";
import {
  decideStart,
  earliestStart,
  inTurn,
  longPlaces,
} from "../../../../src/domain/service/pace/call-pace.js";

const NOW = 1_000_000;
const IDLE = { active: 0, long: 0, pausedUntil: 0, nextAt: 0 };
const FREE = { concurrency: 2, intervalMs: 0 };
const PACED = { concurrency: 2, intervalMs: 100 };

describe("a call starts", () => {
  it.each([
    ["at once where nothing holds it", IDLE, FREE, { ...IDLE, active: 1, nextAt: NOW }],
    ["and moves the next start by the pace", IDLE, PACED, { ...IDLE, active: 1, nextAt: NOW + 100 }],
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
      { ...IDLE, active: 1, pausedUntil: NOW, nextAt: NOW },
    ],
  ])("%s", (_, pace, limits, next) => expect(decideStart(pace, limits, false, NOW)).toEqual(next));
});

describe("a call waits", () => {
  it.each([
    ["for another to end", { ...IDLE, active: 2 }, FREE, "full"],
    ["for the pause to end", { ...IDLE, pausedUntil: NOW + 50 }, FREE, NOW + 50],
    ["for its turn by the pace", { ...IDLE, nextAt: NOW + 100 }, PACED, NOW + 90],
    ["for the later of the two", { ...IDLE, nextAt: NOW + 100, pausedUntil: NOW + 95 }, PACED, NOW + 95],
  ])("%s", (_, pace, limits, until) => expect(decideStart(pace, limits, false, NOW)).toBe(until));
});

it("calls ahead in the queue push the earliest start back by the pace", () => {
  expect(earliestStart(IDLE, PACED, 3, NOW)).toBe(NOW + 290);
  expect(earliestStart(IDLE, FREE, 3, NOW)).toBe(NOW);
});

describe("a long call", () => {
  it.each([
    [32, 24],
    [8, 6],
    [4, 3],
    [2, 1],
    [1, 1],
  ])("of %i places may have %i, with all its like", (concurrency, places) => {
    const limits = { concurrency, intervalMs: 0 };
    expect(longPlaces(limits)).toBe(places);
    const full = { ...IDLE, active: places, long: places };
    expect(decideStart(full, limits, true, NOW)).toBe("full");
    const last = { ...full, active: places - 1, long: places - 1 };
    expect(decideStart(last, limits, true, NOW)).toMatchObject({ active: places, long: places });
  });

  it("leaves the rest to the others, which may have all", () => {
    const limits = { concurrency: 4, intervalMs: 0 };
    const held = { ...IDLE, active: 3, long: 3 };
    expect(decideStart(held, limits, false, NOW)).toMatchObject({ active: 4, long: 3 });
    expect(decideStart({ ...IDLE, active: 3 }, limits, false, NOW)).toMatchObject({ active: 4, long: 0 });
  });
});

it("a place goes to the line with the fewest active calls, then to the one that comes first", () => {
  const line = (name: string, active: number) => ({ name, isLong: false, active });
  const turns = inTurn([line("busy", 9), line("first", 1), line("second", 1), line("new", 0)]);
  expect(turns.map(({ name }) => name)).toEqual(["new", "first", "second", "busy"]);
});
