import { beforeEach, expect, test } from "vitest";
import { commit } from "../../../../src/activities/sync/commit/commit.js";
import { listInvestmentTransactions } from "../../../../src/api/operations/bank-data.js";
import { investmentTransactionSchema } from "../../../../src/api/schemas/transaction.js";
import type { Place } from "../../../../src/domain/sync/place.js";
import { afterUserOutcome, type UserProgress } from "../../../../src/domain/sync/user-reading.js";
import { STREAMS } from "../../../../src/streams/index.js";
import { observed, type Stream } from "../../../../src/streams/stream.js";
import { eachTest } from "../../../helpers/each-test.js";
import { queryRows } from "../../../helpers/query/query-rows.js";
import { openActivityBench } from "../../../helpers/temporal/activity-bench.js";

/** All that a new stream needs, page by page and for each link: docs/inside/architecture.md, "A new stream". */
const trades: Stream = {
  name: "trades",
  operation: listInvestmentTransactions,
  per: "link",
  paging: "page",
  onRequest: true,
  lists: [
    {
      name: "investment_transactions",
      path: ["investment_transactions"],
      row: investmentTransactionSchema,
    },
  ],
  exactNumbers: new Set(["amount", "fees", "price", "quantity"]),
  pageType: "STRUCT(investment_transactions STRUCT(investment_transaction_id VARCHAR, amount VARCHAR)[])",
  ...observed(
    "trades",
    {
      link_id: ["VARCHAR", "o.link_id", "the bank link"],
      trade_id: ["VARCHAR", "t.investment_transaction_id", "the trade"],
      amount: ["DECIMAL(28,10)", "t.amount::decimal(28,10)", "as given"],
    },
    `(select page_no, unnest(investment_transactions) as t from page) join origin o using (page_no) where t is not null`,
  ),
};

const bench = eachTest(() =>
  openActivityBench({
    population: { kind: "synthetic", users: 2, linksPerUser: 2, accountsPerLink: 1, rows: 130 },
    investments: 250,
  }),
);
beforeEach(async () => {
  const users = [...bench.sandbox.world.users.keys()].map((fp_id) => ({ fp_id }));
  await bench.freeze(users);
});

const deps = () => ({ ...bench.deps, streams: [...STREAMS, trades] });

/** Reads until no user is open, as a run's workflow does. */
async function read(streams: readonly string[], budgetMs = 5_000) {
  const reports: Place[] = [];
  let users: UserProgress[] = [];
  let fresh: { from: number; to: number } | null = { from: 0, to: 2 };
  let slice = 0;
  let moved = 0;
  for (; users.length > 0 || fresh !== null; slice += 1) {
    const result = await bench.read({ slice, streams, budgetMs, users, fresh, deps: deps() });
    if (result.report !== null) reports.push(result.report.place);
    if (fresh !== null) fresh = result.reached < fresh.to ? { from: result.reached, to: fresh.to } : null;
    moved += result.users.filter(({ outcome }) => outcome.kind === "moved").length;
    users = result.users.map(({ progress, outcome }) => {
      const verdict = afterUserOutcome(progress, outcome, result.at, 0);
      if (verdict.kind !== "again") throw new Error(`a user ended ${verdict.kind}`);
      return verdict.progress;
    });
  }
  return { slices: slice, moved, reports };
}

const commitOf = (streams: readonly string[], reports: readonly Place[], attempt = 1) =>
  bench.run(
    () =>
      commit(deps(), {
        ...{ runId: "run", chunk: 0, streams, full: false, removed: {}, reports },
        ...{ loaded: [], links: [], manifests: [], ended: [], failed: [] },
      }),
    attempt,
  );

const rows = ({ table }: Stream, sql: string) => queryRows(bench.deps.lake.store, sql, { tables: [table] });

test("a stream of links, page by page, is its declaration and nothing else", async () => {
  const { reports } = await read(["trades"]);
  await commitOf(["trades"], reports);
  const count =
    "select count(*) as n, count(distinct trade_id) as ids, count(distinct link_id) as links from trades";
  expect(await rows(trades, count)).toEqual([{ n: 1_000, ids: 1_000, links: 4 }]);
});

test("a list that moves while it is read is read again, and none of its first pages counts", async () => {
  bench.sandbox.addFault({ kind: "list_moves", operation: "list_investment_transactions", times: 1 });
  const { moved, reports } = await read(["trades"]);
  expect(moved).toBe(1);
  await commitOf(["trades"], reports);
  const count = "select count(*) as n, count(distinct trade_id) as ids from trades";
  expect(await rows(trades, count)).toEqual([{ n: 1_001, ids: 1_001 }]);
});

test("a slice whose time is up is continued where it was: a slice costs at most one page again, and its look at the one before", async () => {
  bench.sandbox.setLatency(100);
  const { slices, reports } = await read(["trades"], 250);
  expect(slices).toBeGreaterThan(1);
  const requests = bench.sandbox.calls().by_operation.list_investment_transactions ?? 0;
  expect(requests).toBeGreaterThanOrEqual(4 * 5);
  expect(requests).toBeLessThanOrEqual(4 * 5 + 2 * (slices - 1));
  expect(bench.sandbox.calls().by_operation.list_bank_links).toBe(2);
  await commitOf(["trades"], reports);
  const count = "select count(*) as n, count(distinct trade_id) as ids from trades";
  expect(await rows(trades, count)).toEqual([{ n: 1_000, ids: 1_000 }]);
});
