import { beforeEach, expect, test } from "vitest";
import { DAY } from "../../../src/domain/duration.js";
import { appendChanges } from "../../../src/lake/history/append-changes.js";
import type { HistorySpec } from "../../../src/lake/history/history-spec.js";
import { eachTest } from "../../helpers/each-test.js";
import { HistoryLake, observedQuery, THINGS } from "../../helpers/history/history-lake.js";

/** Things of which a list holds those of a window; their state is the account. */
const WINDOWED: HistorySpec = { ...THINGS, lists: { since: "observed_at", per: "state" } };
const NIGHT = new Date(Date.UTC(2026, 0, 1, 2));
const NEXT = new Date(NIGHT.getTime() + DAY);
const KNOWN = { from: null, until: "2026-01-01", begunAt: NIGHT };

const at = eachTest(() => HistoryLake.open());
beforeEach(async () => {
  const ids = Array.from({ length: 20 }, (_, n) => `old${n}`);
  const things = ids.map((id) => ({ owner: "u", id, state: "known" }));
  const whole = [{ fpId: "u", linkId: null, readAt: NIGHT, window: KNOWN }];
  const query = observedQuery("r1", NIGHT, things);
  await appendChanges(at.lake, WINDOWED, "r1/g0", "r1", { query, whole });
});

/** What the log says of the list after a later observation. */
async function versionAfter(accounts: readonly string[]): Promise<number | undefined> {
  const things = accounts.map((state, n) => ({ owner: "u", id: `new${n}`, state }));
  const query = observedQuery("r2", NEXT, things);
  await appendChanges(at.lake, WINDOWED, "r2/g0", "r2", { query, whole: [] });
  return (await at.lake.table(WINDOWED.name).snapshot()).txns.get('reading/["u",null]')?.version;
}

test("rows of a known account are no hole", async () => {
  expect(await versionAfter(["known", "known", "known"])).toBe(NIGHT.getTime() / DAY - 2 / 24);
});

test("the first rows of an account are one", async () => {
  expect(await versionAfter(["known", "fresh", "fresh", "fresh"])).toBe(-NEXT.getTime());
});

test("an account that the small table alone knows is known", async () => {
  await at.bringUp();
  expect(await versionAfter(["known", "known", "known"])).toBe(NIGHT.getTime() / DAY - 2 / 24);
});

test("an account of which every row is gone is as good as new", async () => {
  const whole = [{ fpId: "u", linkId: null, readAt: new Date(NIGHT.getTime() + 1), window: KNOWN }];
  const query = observedQuery("r3", NIGHT, []);
  await appendChanges(at.lake, WINDOWED, "r3/g0", "r3", { query, whole });
  expect(await versionAfter(["known"])).toBe(-NEXT.getTime());
});

test.each([
  ["of a window leaves one: it may have moved to a day before", "2026-01-01", -NEXT.getTime()],
  ["of the whole list leaves none", null, NEXT.getTime() / DAY - 2 / 24],
])("a row that is gone from a reading %s", async (_, from, version) => {
  const things = Array.from({ length: 19 }, (_, n) => ({ owner: "u", id: `old${n}`, state: "known" }));
  const window = { from, until: "2026-01-02", begunAt: NEXT };
  const whole = [{ fpId: "u", linkId: null, readAt: NEXT, window }];
  const query = observedQuery("r2", NEXT, things);
  await appendChanges(at.lake, WINDOWED, "r2/g0", "r2", { query, whole });
  const { txns } = await at.lake.table(WINDOWED.name).snapshot();
  expect(txns.get('reading/["u",null]')?.version).toBe(version);
});
