import { expect, test } from "vitest";
import { commitObserved } from "../../../src/lake/sync/observed-rows.js";
import { openQuarantine, quarantinedRows } from "../../../src/lake/sync/quarantine.js";
import { quarantine } from "../../../src/lake/tables/quarantine.js";
import { eachTest } from "../../helpers/each-test.js";
import {
  EVERY_THING,
  HistoryLake,
  observedQuery,
  THINGS,
  type Thing,
} from "../../helpers/history/history-lake.js";
import { appendRows } from "../../helpers/query/append-rows.js";

const at = eachTest(() => HistoryLake.open());

const night = (n: number) => new Date(Date.UTC(2026, 0, n, 2));
const STREAM = { name: "accounts", table: THINGS };
const ON: Thing = { owner: "u", id: "a", state: "on" };

const commit = (
  n: number,
  whole: readonly string[],
  things = [ON],
  stream: Parameters<typeof commitObserved>[1] = STREAM,
) =>
  commitObserved(at.lake, stream, {
    appId: `r${n}/g0`,
    runId: `r${n}`,
    query: observedQuery(`r${n}`, night(n), things),
    whole: whole.map((fpId) => ({ fpId, linkId: null, readAt: night(n) })),
  });

const bad = (n: number, more: object = {}) =>
  appendRows(at.lake, quarantine, [
    {
      ...{ run_id: `r${n}`, stream: "accounts", fp_id: "u", page: 0, index: 0, list: "accounts" },
      ...{ reason: "id: blank", payload: "{}", fetched_at: night(n).toISOString(), ...more },
    },
  ]);

test("a bad row is closed when its list is whole, though nothing in the list has changed", async () => {
  await bad(1);
  await commit(1, []);
  expect((await openQuarantine(at.lake)).rows).toBe(1);
  await commit(2, ["v"]);
  await commit(3, []);
  expect((await openQuarantine(at.lake)).rows).toBe(1);
  for (const n of [4, 4, 5]) await commit(n, ["u"]);
  expect((await openQuarantine(at.lake)).rows).toBe(0);
  const closed = await quarantinedRows(at.lake, { all: true });
  expect(closed.map(({ closed_by }) => closed_by)).toEqual(["reading"]);
  expect(await at.history()).toEqual(["u/a on"]);
});

test("a bad row of another stream, of the run itself, or of a later reading stays open", async () => {
  await bad(1, { stream: "bank_links" });
  await bad(2);
  await bad(3, { run_id: "r9", fp_id: "w" });
  await commit(2, ["u", "w"]);
  expect((await openQuarantine(at.lake)).rows).toBe(3);
});

test("a stream whose table is not a history has a row of every run, once", async () => {
  const table = { ...EVERY_THING, columns: THINGS.columns };
  for (const n of [1, 2, 2]) await commit(n, ["u"], [ON], { name: "things", table });
  expect(await at.history()).toEqual(["u/a on", "u/a on"]);
});
