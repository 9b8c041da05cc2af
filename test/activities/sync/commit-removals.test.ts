import { expect, test } from "vitest";
import { eachTest } from "../../helpers/each-test.js";
import { LiedToNights } from "../../helpers/sync/lied-to-nights.js";

const at = eachTest(() => LiedToNights.open());

const LISTS = ["accounts", "bank_links"];
const counted = (sql: string) => at.rows(`select count(*)::int as n from ${sql}`).then(([row]) => row?.n);

test("25 users whose only link is in no list any more keep link and account, each of them fails, and --full lets it pass", async () => {
  const users = Array.from({ length: 25 }, (_, n) => `u${String(n).padStart(2, "0")}`);
  for (const fp_id of users) at.bench.sandbox.addLink({ fp_id, id: `link_${fp_id}`, accounts: [{}] });
  await at.night(LISTS);
  const lie = ({ path }: { path: string }) =>
    path.endsWith("/bank_links") ? { links: [] } : path.endsWith("_accounts") ? { accounts: [] } : undefined;
  const { totals } = await at.night(LISTS, { lie });
  expect(totals).toMatchObject({ users: { failed: 25 }, failures_total: 50 });
  expect(new Set(totals.failures.map(({ reason }) => reason))).toEqual(
    new Set(LISTS.map((stream) => `${stream}: list_would_remove 25 of 25 in all lists`)),
  );
  expect(
    totals.failures
      .filter(({ stream }) => stream === "accounts")
      .map(({ owner }) => owner)
      .sort(),
  ).toEqual(users);
  expect(await counted("bank_links where gone")).toBe(0);
  expect(await counted("run_failures")).toBe(50);
  expect((await at.night(LISTS)).totals).toMatchObject({ users: { failed: 0 }, failures: [] });
  expect(await counted("bank_links")).toBe(25);
  expect((await at.night(LISTS, { lie, full: true })).totals.failures).toEqual([]);
  expect(await counted("bank_links where gone")).toBe(25);
});

test("an empty window of investments removes nothing, and the next honest night adds nothing", async () => {
  const { sandbox } = at.bench;
  sandbox.addLink({ fp_id: "u", id: "link_1", accounts: [{ id: "acc_1" }] });
  const date = new Date().toISOString().slice(0, 10);
  const transactions = Array.from({ length: 155 }, (_, n) => {
    return { investment_transaction_id: `inv_${n}`, account_id: "acc_1", date };
  });
  sandbox.investments.add("link_1", { transactions });
  const streams = ["investment_transactions", "securities"];
  await at.night(streams);
  const lie = ({ path }: { path: string }, truth: object) =>
    path.includes("investments")
      ? { ...truth, total: 0, investment_transactions: [], securities: [] }
      : undefined;
  const { totals } = await at.night(streams, { lie });
  const reason = "investment_transactions: list_would_remove 155 of 155, link link_1";
  expect(totals).toMatchObject({ users: { failed: 1 }, failures: [{ owner: "u", reason }] });
  expect((await at.night(streams)).totals.failures).toEqual([]);
  expect(await counted("investment_transaction_changes")).toBe(155);
});
