import { expect, test } from "vitest";
import {
  forecastMs,
  type KnownLink,
  type PastRuns,
  rowsForecast,
  syncForecast,
} from "../../../src/domain/runs/forecast.js";

const NOTHING: PastRuns = { runs: 0, owners: 0, calls: 0, pages: 0, workedMs: 0 };
/** Two nights of ten users with ten links, three calls a user for lists. */
const TWO_NIGHTS: PastRuns = { runs: 2, owners: 20, calls: 160, pages: 100, workedMs: 16_000 };
const LINK: KnownLink = { skipped: null, firstPages: 9, laterPages: 1 };
const EXPIRED: KnownLink = { ...LINK, skipped: "state error auth_expired" };
const links = (count: number, link: KnownLink) => Array.from({ length: count }, () => link);

test.for([
  ["a quiet night", { all: 10, isNew: 0 }, links(10, LINK), TWO_NIGHTS, false, { calls: 40, pages: 10 }],
  ["everything again", { all: 10, isNew: 0 }, links(10, LINK), TWO_NIGHTS, true, { calls: 120, pages: 90 }],
  [
    "links that expired",
    { all: 10, isNew: 0 },
    [...links(7, LINK), ...links(3, EXPIRED)],
    TWO_NIGHTS,
    false,
    { calls: 37, pages: 7 },
  ],
  [
    "new users, as large as the known ones",
    { all: 15, isNew: 5 },
    links(10, LINK),
    TWO_NIGHTS,
    false,
    { calls: 45 + 10 + 45, pages: 55 },
  ],
  [
    "a link that was never read before",
    { all: 1, isNew: 0 },
    [{ skipped: null, firstPages: null, laterPages: null }],
    TWO_NIGHTS,
    false,
    { calls: 4, pages: 1 },
  ],
  ["a first night", { all: 10, isNew: 10 }, [], NOTHING, false, { calls: null, pages: null }],
] as const)("a sync: %s", ([, users, known, past, isFull, forecast]) => {
  expect(syncForecast(users, known, past, isFull)).toMatchObject(forecast);
});

test("a night is as the nights before say: the median of lists, links that come back or are new, and what has piled up", () => {
  const nights = {
    lists: 2,
    returns: { [String(EXPIRED.skipped)]: 0.5 },
    arrivals: 1,
    spread: [0.9, 1.5],
  } as const;
  const known = [...links(8, { ...LINK, laterPages: 1.25 }), ...links(4, EXPIRED), { ...LINK, piledUp: 3 }];
  const forecast = syncForecast({ all: 10, isNew: 0 }, known, TWO_NIGHTS, false, nights);
  expect(forecast).toMatchObject({ pages: 10 + 2 + 9 + 3, calls: 20 + 24, between: [39, 66] });
  expect(forecast.basis).toContain(
    "about 2 skipped links that come back and about 1 new links of known users",
  );
  expect(syncForecast({ all: 10, isNew: 0 }, known, TWO_NIGHTS, true, nights).between).toBeNull();
});

test("a first night says what it costs at least", () => {
  expect(syncForecast({ all: 10, isNew: 10 }, [], NOTHING, false).basis).toContain("at least 20 calls");
});

test("rows cost what they cost before, and a call for each request where none did", () => {
  const past = { ...NOTHING, runs: 1, owners: 10, calls: 25 };
  expect(rowsForecast({ rows: 50, requests: 5 }, past).calls).toBe(125);
  expect(rowsForecast({ rows: 50, requests: 150 }, past).calls).toBe(150);
  expect(rowsForecast({ rows: 500, requests: 50 }, NOTHING).calls).toBe(50);
});

test("time is that of earlier runs, and never less than the limit allows", () => {
  expect(forecastMs(320, TWO_NIGHTS, 4)).toEqual({ at_pace: 32_000, at_limit: 80_000 });
  expect(forecastMs(320, NOTHING, undefined)).toEqual({ at_pace: null, at_limit: null });
});
