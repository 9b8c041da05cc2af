import { expect, test } from "vitest";
import {
  forecastMs,
  type KnownLink,
  type PastRuns,
  rowsForecast,
  type SyncNights,
  syncForecast,
} from "../../../src/domain/runs/forecast.js";

const NOTHING: PastRuns = { runs: 0, owners: 0, calls: 0, pages: 0, workedMs: 0, bytesEach: null };
/** Two nights of ten users with ten links, three calls a user for lists. */
const TWO_NIGHTS: PastRuns = {
  runs: 2,
  owners: 20,
  calls: 160,
  pages: 100,
  workedMs: 16_000,
  bytesEach: 512.5,
};
/** Nights that tell nothing but that a user costs three calls for lists. */
const NIGHTS: SyncNights = {
  ...{ lists: 3, returns: {}, arrivals: 0, bytesEach: { later: 1_000, whole: 9_000 } },
  spread: { nights: 2, each: [3, 9] },
};
const LINK: KnownLink = { skipped: null, firstPages: 9, fullPages: 11, laterPages: 1 };
const EXPIRED: KnownLink = { ...LINK, skipped: "state error auth_expired" };
const NEVER_READ: KnownLink = { skipped: null, firstPages: null, fullPages: null, laterPages: null };
const links = (count: number, link: KnownLink) => Array.from({ length: count }, () => link);

test.for([
  ["a quiet night", { all: 10, isNew: 0 }, links(10, LINK), false, { calls: 40, pages: 10, bytes: 40_000 }],
  // A link grows: its first reading said less than half of what its beginning leads to a year later.
  [
    "everything again",
    { all: 10, isNew: 0 },
    links(10, LINK),
    true,
    { calls: 140, pages: 110, bytes: 140 * 9_000 },
  ],
  [
    "links that expired",
    { all: 10, isNew: 0 },
    [...links(7, LINK), ...links(3, EXPIRED)],
    false,
    { calls: 37, pages: 7 },
  ],
  [
    "new users, as large as the known ones",
    { all: 15, isNew: 5 },
    links(10, LINK),
    false,
    { calls: 45 + 10 + 45, pages: 55, bytes: 40 * 1_000 + 60 * 9_000 },
  ],
  ["a link that was never read before", { all: 1, isNew: 0 }, [NEVER_READ], false, { calls: 4, pages: 1 }],
  ["a first night", { all: 10, isNew: 10 }, [], false, { calls: null, pages: null, bytes: null }],
  ["lists alone", { all: 10, isNew: 10 }, null, false, { calls: 30, pages: 0, bytes: 30_000 }],
] as const)("a sync: %s", ([, users, known, isFull, forecast]) => {
  expect(syncForecast(users, known, isFull, NIGHTS)).toMatchObject(forecast);
});

test("a night is as the nights before say: lists, links that come back or are new, and what has piled up", () => {
  const nights: SyncNights = {
    lists: 2,
    returns: { [String(EXPIRED.skipped)]: 0.5 },
    arrivals: 1,
    bytesEach: { later: 1_000, whole: null },
    spread: { nights: 7, each: [3.96, 6.6] },
  };
  const known = [...links(8, { ...LINK, laterPages: 1.25 }), ...links(4, EXPIRED), { ...LINK, piledUp: 3 }];
  const forecast = syncForecast({ all: 10, isNew: 0 }, known, false, nights);
  expect(forecast).toMatchObject({
    pages: 10 + 2 + 9 + 3,
    calls: 20 + 24,
    bytes: null,
    between: [39, 66],
    nights: 7,
  });
  expect(forecast.basis).toBe(
    "9 known links and about 2 skipped links that come back and about 1 new link of known users, 2 calls a user for its lists",
  );
  const full = syncForecast({ all: 10, isNew: 0 }, known, true, nights);
  expect(full).toMatchObject({ between: null, nights: null });
});

// A range beside the plan would be true of every night but the one that is asked about.
test.for([
  ["as its nights were", { nights: 3, each: [3.5, 5.2] }, { between: [35, 52], nights: 3 }],
  ["and as itself, which is dearer than they were", { nights: 3, each: [3.5, 3.9] }, { between: [35, 40] }],
  ["and as itself, which is cheaper", { nights: 3, each: [4.5, 5] }, { between: [40, 50] }],
  ["of too few nights: it can't tell", { nights: 2, each: [3.5, 5.2] }, { between: null, nights: 2 }],
] as const)("a range: %s", ([, spread, range]) => {
  const forecast = syncForecast({ all: 10, isNew: 0 }, links(10, LINK), false, { ...NIGHTS, spread });
  expect(forecast).toMatchObject(range);
});

test("a first night says what it costs at least", () => {
  const { basis } = syncForecast({ all: 10, isNew: 10 }, [], false, { ...NIGHTS, lists: 2 });
  expect(basis).toContain("at least 20 calls");
});

test("one is one in words, and a share of a call is not none", () => {
  const one = syncForecast({ all: 1, isNew: 0 }, [LINK], false, { ...NIGHTS, lists: 1 });
  expect(one.basis).toBe("1 known link, 1 call a user for its lists");
  const words = (calls: number) =>
    rowsForecast({ rows: 1, items: 1, requests: 1 }, { ...NOTHING, runs: 1, owners: 1_000, calls }).basis;
  expect([500, 1_000].map(words)).toEqual(
    ["0.5 calls a row", "1 call a row"].map((each) => `${each}, as in 1 earlier run`),
  );
});

test("rows cost what they cost before, and a call for each request where none did", () => {
  const past = { ...NOTHING, runs: 1, owners: 10, calls: 25 };
  const each = { rows: 50, items: 50 };
  expect(rowsForecast({ ...each, requests: 5 }, past).calls).toBe(125);
  expect(rowsForecast({ ...each, requests: 150 }, past)).toMatchObject({
    calls: 150,
    basis: "1 call for each request of its rows",
  });
  expect(rowsForecast({ rows: 500, items: 50, requests: 50 }, NOTHING).calls).toBe(50);
  expect(rowsForecast({ rows: 0, items: 0, requests: 0 }, past).basis).toBe("no row needs a call");
});

// An import of other links, or with a larger chunk, would be foreseen at the rows a request of the earlier file.
test("rows that go together cost the requests that they make, however many did in earlier runs", () => {
  const past = { ...NOTHING, runs: 1, owners: 200, calls: 20 };
  expect(rowsForecast({ rows: 500, items: 20, requests: 20 }, past)).toMatchObject({
    calls: 20,
    basis: "1 call for each request of its rows",
  });
});

test("time is that of earlier runs, and never less than the limit allows", () => {
  expect(forecastMs(320, TWO_NIGHTS, 4)).toEqual({ at_pace: 32_000, at_limit: 80_000 });
  expect(forecastMs(320, NOTHING, undefined)).toEqual({ at_pace: null, at_limit: null });
});
