import { expect, test } from "vitest";
import { eachTest } from "../helpers/each-test.js";
import { daysAgo, InvestmentNights } from "../helpers/sync/investment-nights.js";

const at = eachTest(() => InvestmentNights.open());

/** A row of yesterday, byte for byte; what is given is JSON. */
const raw = (id: string, fields: string) =>
  `{"investment_transaction_id":"${id}","account_id":"a","date":"${daysAgo(1)}","type":"buy",${fields}}`;
const add = (rows: readonly string[]) => at.bench.sandbox.investments.add("l", { raw: rows });

test("a decimal is exact, as a number and as text, whatever its sign and length", async () => {
  const exact = [
    ["12.10", "12.1000000000"],
    ["12345678901234567.1234567891", "12345678901234567.1234567891"],
    ["-999999999999999999.9999999999", "-999999999999999999.9999999999"],
    ["-0", "0.0000000000"],
    ["-0.5", "-0.5000000000"],
    ["0.1000000001", "0.1000000001"],
  ] as const;
  const row = (id: string, amount: string) => raw(id, `"am\\u006funt":${amount},"price":${amount}`);
  add(exact.flatMap(([number]) => [row(`number ${number}`, number), row(`text ${number}`, `"${number}"`)]));
  await at.night();
  const columns = "investment_transaction_id as id, amount, price";
  expect(await at.rows(`select ${columns} from investment_transactions order by all`)).toEqual(
    ["number", "text"]
      .flatMap((as) => exact.map(([number, amount]) => ({ id: `${as} ${number}`, amount, price: amount })))
      .sort((a, b) => (a.id < b.id ? -1 : 1)),
  );
});

test("an exponent is exact as a number; as a text it is no amount", async () => {
  const exact = [
    ["-9.99999999999999999e17", "-999999999999999999.0000000000"],
    ["1.5E+3", "1500.0000000000"],
    ["1e-7", "0.0000001000"],
  ] as const;
  const row = (id: string, number: string, amount: string) =>
    raw(id, `"amount":${amount},"quantity": ${number}`);
  const texts = exact.map(([number]) => row(`text ${number}`, number, `"${number}"`));
  add([...exact.map(([number]) => row(`number ${number}`, number, number)), ...texts]);
  await at.night();
  const columns = "investment_transaction_id as id, amount, quantity";
  expect(await at.rows(`select ${columns} from investment_transactions order by all`)).toEqual(
    exact.map(([number, amount]) => ({ id: `number ${number}`, amount, quantity: amount })),
  );
  const payloads = (await at.rows("select payload from quarantine")).map(({ payload }) => payload);
  expect(payloads.sort()).toEqual(texts.sort());
});

test("a fraction of a coin costs its column and not its row: its text is kept", async () => {
  const row = (id: string, fields: string) => raw(id, `"amount":"1.500000000000000000",${fields}`);
  add([
    row("a", `"quantity":"0.123456789012345678","price":1e-18,"fees":null`),
    row("b", `"quantity":0.30000000000000004,"price":"0.50000000000000"`),
    raw("c", `"amount":-0.12345678901,"mcc":1`),
  ]);
  await at.night();
  const columns = "investment_transaction_id as id, amount, quantity, price, other_fields";
  const held = { amount: "1.5000000000", quantity: null, price: null };
  expect(await at.rows(`select ${columns} from investment_transactions order by id`)).toEqual([
    { id: "a", ...held, other_fields: '{"price":1e-18,"quantity":"0.123456789012345678"}' },
    { id: "b", ...held, price: "0.5000000000", other_fields: '{"quantity":0.30000000000000004}' },
    { id: "c", amount: null, quantity: null, price: null, other_fields: '{"amount":-0.12345678901,"mcc":1}' },
  ]);
  expect(await at.rows("select * from quarantine")).toEqual([]);
});

test("what is no amount goes into quarantine as it came, with the reason", async () => {
  const long = "has more than 18 digits before the point";
  const problems = [
    ["1e18", "not a decimal string"],
    ["1E400", "not a decimal string"],
    ["1234567890123456789", long],
    ["1234567890123456789012345678901234567890", long],
    ["true", "not a decimal string"],
    ["[1]", "not a decimal string"],
    ['" 5"', "not a decimal string"],
  ] as const;
  const rows = problems.map(([amount, problem], n) => {
    return { payload: raw(`x${n}`, `"amount":${amount}`), reason: `amount: ${problem}` };
  });
  add(rows.map(({ payload }) => payload));
  await at.night();
  expect(await at.rows("select payload, reason from quarantine order by payload")).toEqual(rows);
  expect(await at.feed()).toEqual([]);
});
