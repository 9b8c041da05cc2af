import { afterEach, beforeEach, expect, test } from "vitest";
import { daysAgo, InvestmentNights } from "../helpers/sync/investment-nights.js";

let at: InvestmentNights;
beforeEach(async () => {
  at = await InvestmentNights.open();
});
afterEach(() => at.close());

test.each([
  ["12.10", "12.1000000000"],
  ["12345678901234567.1234567891", "12345678901234567.1234567891"],
  ["-999999999999999999.9999999999", "-999999999999999999.9999999999"],
  ["-0", "0.0000000000"],
  ["-0.5", "-0.5000000000"],
  ["0.1000000001", "0.1000000001"],
])("%s is exact, as a number and as text", async (number, exact) => {
  const row = (id: string, amount: string) =>
    `{"investment_transaction_id":"${id}","account_id":"a","date":"${daysAgo(1)}","type":"buy","am\\u006funt":${amount},"price":${amount}}`;
  at.bench.sandbox.investments.add("l", { raw: [row("number", number), row("text", `"${number}"`)] });
  await at.night();
  expect(await at.rows("select distinct amount, price from investment_transactions")).toEqual([
    { amount: exact, price: exact },
  ]);
  expect(await at.rows("select count(*) as n from investment_transactions")).toEqual([{ n: 2 }]);
});

test.each([
  ["1e-7", "0.0000001000"],
  ["1.5E+3", "1500.0000000000"],
  ["-9.99999999999999999e17", "-999999999999999999.0000000000"],
])("%s is exact as a number; as a text it is no amount", async (number, exact) => {
  const row = (id: string, amount: string) =>
    `{"investment_transaction_id":"${id}","account_id":"a","date":"${daysAgo(1)}","type":"buy","amount":${amount},"quantity": ${number}}`;
  at.bench.sandbox.investments.add("l", { raw: [row("number", number), row("text", `"${number}"`)] });
  await at.night();
  expect(await at.rows("select amount, quantity from investment_transactions")).toEqual([
    { amount: exact, quantity: exact },
  ]);
  expect(await at.rows("select payload from quarantine")).toEqual([{ payload: row("text", `"${number}"`) }]);
});

test.each([
  "1e18",
  "1e-11",
  "1E400",
  "1234567890123456789",
  "0.12345678901",
  "1234567890123456789012345678901234567890",
  "true",
  "[1]",
  '" 5"',
])("%s is no amount: its row goes into quarantine as it came", async (amount) => {
  const raw = `{"investment_transaction_id":"x","account_id":"a","date":"${daysAgo(1)}","type":"buy","amount":${amount}}`;
  at.bench.sandbox.investments.add("l", { raw: [raw] });
  await at.night();
  expect(await at.rows("select payload, reason from quarantine")).toEqual([
    { payload: raw, reason: "amount: not a decimal" },
  ]);
  expect(await at.feed()).toEqual([]);
});
