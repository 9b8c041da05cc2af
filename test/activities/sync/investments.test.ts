import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { commit } from "../../../src/activities/sync/commit/commit.js";
import { materialize } from "../../../src/activities/sync/materialize.js";
import type { Place } from "../../../src/domain/sync/place.js";
import { afterUserOutcome, type UserProgress } from "../../../src/domain/sync/user-reading.js";
import { openQuery } from "../../../src/lake/query/query.js";
import {
  type ActivityBench,
  openActivityBench,
  type SliceGiven,
} from "../../helpers/temporal/activity-bench.js";

const BOTH = ["investment_transactions", "securities"];
const OPERATION = "list_investment_transactions";
const DAY = 86_400_000;

/** So many days before the day of the clock by which readings are counted. */
const daysAgo = (days: number) => new Date(Date.now() - days * DAY).toISOString().slice(0, 10);

let bench: ActivityBench;
beforeEach(async () => {
  bench = await openActivityBench();
  bench.sandbox.addLink({ fp_id: "u", id: "l", accounts: [{ id: "a" }] });
});
afterEach(() => bench.close());

let nights = 0;

/** Reads and commits until no user is open, as a run's workflow does. */
async function night(given: SliceGiven = {}): Promise<void> {
  nights += 1;
  const runId = `night-${nights}`;
  const streams = given.streams ?? BOTH;
  await bench.freeze([{ fp_id: "u" }], runId);
  const reports: Place[] = [];
  let users: UserProgress[] = [];
  for (let slice = 0; slice === 0 || users.length > 0; slice += 1) {
    const fresh = slice === 0 ? { from: 0, to: 1 } : null;
    const result = await bench.read({ runId, slice, users, fresh, ...given, streams });
    if (result.report !== null) reports.push(result.report.place);
    users = result.users.map(({ progress, outcome }) => {
      const verdict = afterUserOutcome(progress, outcome, result.at, 0);
      if (verdict.kind !== "again") throw new Error(`a user ended ${JSON.stringify(outcome)}`);
      return verdict.progress;
    });
  }
  const work = { runId, chunk: 0, streams, full: false, reports, loaded: [], links: [] };
  await bench.run(() => commit(bench.deps, { ...work, manifests: [], ended: [], failed: [] }));
}

async function rows(sql: string): Promise<Record<string, unknown>[]> {
  const query = openQuery(bench.deps.lake.store, {
    scratchDirectory: `${bench.deps.lake.duckdb.scratchDirectory}/query`,
  });
  try {
    const found = [];
    for await (const batch of query.query(sql)) found.push(...batch);
    return found;
  } finally {
    await query.close();
  }
}

const feed = async () =>
  (
    await rows(
      `select concat_ws(' ', investment_transaction_id, change_type, description, amount) as text
       from investment_transaction_changes order by observed_at, 1`,
    )
  ).map(({ text }) => text);

const add = (id: string, fields: Record<string, unknown> = {}) =>
  bench.sandbox.investments.add("l", {
    transactions: [{ investment_transaction_id: id, date: daysAgo(1), ...fields }],
  });

describe("both streams", () => {
  test("come from one reading: no page is requested twice, and each table gets its rows", async () => {
    bench.sandbox.investments.fill("l", 250);
    await night();
    expect(bench.sandbox.calls().by_operation[OPERATION]).toBe(3);
    const { transactions, securities } = bench.sandbox.investments.truth("l");
    const [counts] = await rows(`select (select count(*) from investment_transactions) as t,
      (select count(*) from securities) as s, (select count(*) from quarantine) as q`);
    expect(counts).toEqual({ t: transactions.length, s: securities.length, q: 0 });
  });

  test.each(BOTH)("%s alone is written alone", async (stream) => {
    bench.sandbox.investments.fill("l", 5);
    await night({ streams: [stream] });
    const [counts] = await rows(`select (select count(*) from investment_transactions) > 0 as t,
      (select count(*) from securities) > 0 as s`);
    expect(counts).toEqual({ t: stream === "investment_transactions", s: stream === "securities" });
  });
});

test("a window reads back from the last complete reading; what it lacks is removed, what is older stays", async () => {
  add("new");
  add("changed");
  add("old", { date: daysAgo(90) });
  await night();
  const { investments } = bench.sandbox;
  bench.sandbox.clearRequests();
  investments.remove("l", ["new", "old"]);
  investments.add("l", {
    transactions: [{ investment_transaction_id: "changed", date: daysAgo(1), description: "Sell" }],
  });
  await night();
  expect(bench.sandbox.requests({ operation: OPERATION }).map(({ query }) => query.start_date)).toEqual([
    daysAgo(30),
  ]);
  expect(await feed()).toEqual([
    "changed created Buy 100.0000000000",
    "new created Buy 100.0000000000",
    "old created Buy 100.0000000000",
    "changed updated Sell 100.0000000000",
    "new removed Buy 100.0000000000",
  ]);
  await night({ full: true });
  expect((await feed()).at(-1)).toBe("old removed Buy 100.0000000000");
  await bench.run(() => materialize(bench.deps, { runId: "end" }));
  expect(await rows("select investment_transaction_id as id from investment_transactions")).toEqual([
    { id: "changed" },
  ]);
});
