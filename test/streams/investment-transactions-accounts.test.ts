import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { daysAgo, InvestmentNights } from "../helpers/sync/investment-nights.js";

const DAY = 86_400_000;

let at: InvestmentNights;
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  at = await InvestmentNights.open();
  at.lengthen();
});
afterEach(async () => {
  vi.useRealTimers();
  await at.close();
});

const nextDay = () => vi.setSystemTime(Date.now() + DAY);

/** Adds an account with rows of two years. */
function addAccount(account: string): void {
  for (const days of [1, 50, 400, 700])
    at.add(`${account}${days}`, { date: daysAgo(days), account_id: account });
}

async function idsOf(account: string): Promise<unknown[]> {
  const rows = await at.rows(
    `select investment_transaction_id as id from investment_transactions where account_id = '${account}' and investment_transaction_id not like 'filler%' order by "date" desc`,
  );
  return rows.map(({ id }) => id);
}

const everyOf = (account: string) => [1, 50, 400, 700].map((days) => `${account}${days}`);

test("an account that is added to a known link is read whole by the next reading, once", async () => {
  addAccount("a");
  await at.night();
  nextDay();
  addAccount("b");
  const from = daysAgo(32);
  await at.night();
  expect(await idsOf("b")).toEqual(["b1"]);
  nextDay();
  await at.night();
  expect(await idsOf("b")).toEqual(everyOf("b"));
  nextDay();
  await at.night();
  expect(at.asked).toEqual(["all", from, "all", daysAgo(33)]);
  expect(await at.feed()).toHaveLength(8);
});

test("a reading of the whole list that began before the account was added does not pass for one of it", async () => {
  addAccount("a");
  await at.night();
  nextDay();
  const full = await at.read({ full: true });
  addAccount("b");
  await at.night();
  await full();
  nextDay();
  await at.night();
  expect(await idsOf("b")).toEqual(everyOf("b"));
});

test("a whole reading that was committed first leaves no hole", async () => {
  addAccount("a");
  await at.night();
  nextDay();
  addAccount("b");
  const window = await at.read();
  await at.night({ full: true });
  await window();
  nextDay();
  await at.night();
  expect(at.asked.slice(-1)).toEqual([daysAgo(32)]);
  expect(await idsOf("b")).toEqual(everyOf("b"));
});

test("an account without rows in the window is known by its older ones", async () => {
  addAccount("a");
  at.add("quiet", { date: daysAgo(200), account_id: "c" });
  await at.night();
  nextDay();
  at.add("loud", { account_id: "c" });
  await at.night();
  nextDay();
  await at.night();
  expect(at.asked).toEqual(["all", daysAgo(33), daysAgo(32)]);
});
