import { beforeEach, describe, expect, test } from "vitest";
import { materialize } from "../../src/activities/sync/materialize.js";
import { eachTest } from "../helpers/each-test.js";
import { daysAgo, INVESTMENTS, InvestmentNights } from "../helpers/sync/investment-nights.js";

const OPERATION = "list_investment_transactions";

const at = eachTest(() => InvestmentNights.open());

describe("both streams", () => {
  test("come from one reading, which looks at each page again after the next one", async () => {
    at.bench.sandbox.investments.fill("l", 250);
    await at.night();
    const pages = at.bench.sandbox.requests({ operation: OPERATION }).map(({ query }) => query.page);
    expect(pages).toEqual(["1", "2", "1", "3", "2"]);
    const { transactions, securities } = at.bench.sandbox.investments.truth("l");
    const [counts] = await at.rows(`select (select count(*) from investment_transactions) as t,
      (select count(*) from securities) as s, (select count(*) from quarantine) as q`);
    expect(counts).toEqual({ t: transactions.length, s: securities.length, q: 0 });
  });

  test.each(INVESTMENTS)("%s alone is written alone", async (stream) => {
    at.bench.sandbox.investments.fill("l", 5);
    await at.night({ streams: [stream] });
    const [counts] = await at.rows(`select (select count(*) from investment_transactions) > 0 as t,
      (select count(*) from securities) > 0 as s`);
    expect(counts).toEqual({ t: stream === "investment_transactions", s: stream === "securities" });
  });
});

describe("a service that goes back 90 days unless it is told", () => {
  const behaves = new Set(["ninety-days", "dated-times"] as const);
  const at = eachTest(() => InvestmentNights.open({ behaves, today: daysAgo(0) }));

  test("gives all days, with times, and loses none in the next night", async () => {
    at.lengthen();
    at.add("ahead", { date: daysAgo(-40) });
    for (let night = 0; night < 2; night += 1) await at.night();
    expect(at.asked).toEqual(["all", daysAgo(30)]);
    expect(await at.feed()).toEqual(["ahead created Buy 100.0000000000"]);
    const text = `{"date":"${daysAgo(-40)}T00:00:00Z"}`;
    const [counts] = await at.rows(`select count(*) as n, max(date)::varchar as ahead,
      arg_max(other_fields, date) as text from investment_transactions`);
    expect(counts).toEqual({ n: 101, ahead: daysAgo(-40), text });
  });
});

test("a window reads back from the newest row that is known; what it lacks is removed, what is older stays", async () => {
  at.lengthen();
  at.add("new");
  at.add("changed");
  at.add("old", { date: daysAgo(90) });
  await at.night();
  const { investments } = at.bench.sandbox;
  investments.remove("l", ["new", "old"]);
  investments.add("l", {
    transactions: [{ investment_transaction_id: "changed", date: daysAgo(1), description: "Sell" }],
  });
  await at.night();
  expect(at.asked).toEqual(["all", daysAgo(31)]);
  expect(await at.feed()).toEqual([
    "changed created Buy 100.0000000000",
    "new created Buy 100.0000000000",
    "old created Buy 100.0000000000",
    "changed updated Sell 100.0000000000",
    "new removed Buy 100.0000000000",
  ]);
  await at.night({ full: true });
  expect((await at.feed()).at(-1)).toBe("old removed Buy 100.0000000000");
  await at.bench.run(() => materialize(at.bench.deps, { runId: "end" }));
  expect(
    await at.rows(`select investment_transaction_id as id from investment_transactions
    where investment_transaction_id not like 'filler%'`),
  ).toEqual([{ id: "changed" }]);
});

test("the whole list is asked for until a reading of it was complete, and then the lookback", async () => {
  at.add("bad", { amount: "ten" });
  await at.night();
  await at.night();
  at.add("bad");
  at.lengthen();
  await at.night();
  await at.night({ lookback: 7 });
  expect(at.asked).toEqual(["all", "all", "all", daysAgo(8)]);
});

describe("what is requested", () => {
  beforeEach(() => at.lengthen());

  test("from the newest row on, however long ago it was: a bank may give nothing for months, and then everything", async () => {
    at.add("first", { date: daysAgo(200) });
    await at.night();
    await at.night();
    at.add("late", { date: daysAgo(190) });
    await at.night();
    await at.night();
    expect(at.asked).toEqual(["all", daysAgo(230), daysAgo(230), daysAgo(220)]);
    expect(await at.feed()).toHaveLength(2);
  });
});

test.each([0, 100])(
  "a list of %i rows is read whole again and again: what changes long ago is found",
  async (rows) => {
    for (let n = 0; n < rows; n += 1) at.add(`i${n}`, { date: daysAgo(200) });
    await at.night();
    await at.night();
    const { investments } = at.bench.sandbox;
    if (rows > 0) investments.remove("l", ["i0"]);
    if (rows > 0) at.add("i1", { date: daysAgo(300), description: "Sell" });
    await at.night();
    expect(at.asked).toEqual(["all", "all", "all"]);
    expect((await at.feed()).slice(rows)).toEqual(
      rows === 0 ? [] : ["i0 removed Buy 100.0000000000", "i1 updated Sell 100.0000000000"],
    );
    expect(at.bench.sandbox.calls().by_operation[OPERATION]).toBe(3);
  },
);

describe("rows", () => {
  test("a row that leaves the window by its date is removed, and created again by the next reading, of the whole list", async () => {
    at.lengthen();
    at.add("stays");
    at.add("moves");
    await at.night();
    at.add("moves", { date: daysAgo(300) });
    await at.night();
    await at.night();
    expect((await at.feed()).slice(2)).toEqual([
      "moves removed Buy 100.0000000000",
      "moves created Buy 100.0000000000",
    ]);
  });

  test("the first and the last day of a window are in it", async () => {
    at.lengthen();
    for (const days of [1, 31, 32]) at.add(`d${days}`, { date: daysAgo(days) });
    await at.night();
    at.bench.sandbox.investments.remove("l", ["d1", "d31", "d32"]);
    await at.night();
    expect((await at.feed()).slice(3)).toEqual([
      "d1 removed Buy 100.0000000000",
      "d31 removed Buy 100.0000000000",
    ]);
  });

  test("of a list with a bad row nothing is removed, before that is gone", async () => {
    at.add("a");
    at.add("b");
    at.add("c");
    await at.night();
    at.add("a", { quantity: "+3" });
    at.bench.sandbox.investments.remove("l", ["b"]);
    await at.night();
    expect(await at.feed()).toHaveLength(3);
    const open = "select list, reason, link_id, stream from quarantine_open";
    expect(await at.rows(open)).toEqual([
      {
        ...{ list: "investment_transactions", reason: "quantity: not a decimal string" },
        ...{ link_id: "l", stream: "investment_transactions" },
      },
    ]);
    at.add("a");
    await at.night();
    expect((await at.feed()).slice(3)).toEqual(["b removed Buy 100.0000000000"]);
    expect(await at.rows(open)).toEqual([]);
  });

  test("a bad security costs no transaction, and stands in quarantine under its own stream", async () => {
    at.add("a", { security_id: "s" });
    at.bench.sandbox.investments.add("l", { securities: [{ security_id: "s", close_price: "ten" }] });
    await at.night();
    at.bench.sandbox.investments.remove("l", ["a"]);
    at.add("b");
    await at.night();
    expect(await at.feed()).toEqual([
      "a created Buy 100.0000000000",
      "a removed Buy 100.0000000000",
      "b created Buy 100.0000000000",
    ]);
    expect(await at.rows("select stream, list, reason from quarantine")).toEqual([
      { stream: "securities", list: "securities", reason: "close_price: not a decimal string" },
    ]);
  });

  test("two rows of one page with one id are no list that moved", async () => {
    at.add("a");
    const text = JSON.stringify(at.bench.sandbox.investments.truth("l").transactions[0]);
    at.bench.sandbox.investments.add("l", { raw: [text, text] });
    await expect(at.night()).rejects.toThrow("investment_transactions: id_twice");
  });

  test("a link that is gone in the middle of its list loses nothing", async () => {
    for (let index = 0; index < 150; index += 1) at.add(`i${index}`);
    await at.night();
    at.bench.sandbox.addFault({ kind: "status", status: 404, operation: OPERATION, page: 1 });
    await at.night();
    expect(await at.rows("select count(*) as n from investment_transactions")).toEqual([{ n: 150 }]);
  });

  test("a list that moves while it is read is read again, under the same window", async () => {
    for (let index = 0; index < 250; index += 1) at.add(`i${index}`);
    await at.night();
    at.bench.sandbox.addFault({ kind: "list_moves", operation: OPERATION, times: 1, how: "remove" });
    await at.night();
    const left = at.bench.sandbox.investments.truth("l").transactions.length;
    expect(await at.rows("select count(*) as n from investment_transactions")).toEqual([{ n: left }]);
    expect((await at.feed()).filter((text) => text?.toString().includes("removed"))).toHaveLength(250 - left);
  });

  test("a row that moves between two pages, while the total stays, is not taken for removed", async () => {
    for (let index = 0; index < 250; index += 1) at.add(`i${index}`);
    await at.night();
    at.bench.sandbox.addFault({ kind: "list_moves", operation: OPERATION, times: 1, how: "replace" });
    await at.night();
    expect((await at.feed()).filter((text) => text?.toString().includes("removed"))).toEqual([
      "i0 removed Buy 100.0000000000",
    ]);
  });

  test("a slower run that read before a newer one brings nothing back", async () => {
    at.add("a");
    at.add("b");
    await at.night();
    const before = await at.read();
    at.bench.sandbox.investments.remove("l", ["b"]);
    at.add("a", { description: "Sell" });
    await at.night();
    await before();
    expect((await at.feed()).slice(2)).toEqual([
      "a updated Sell 100.0000000000",
      "b removed Buy 100.0000000000",
    ]);
  });
});

test("a list that moves, while its total stays and the link has a new account, is read again: no live row is removed", async () => {
  const alone = { streams: ["investment_transactions"] };
  for (let n = 0; n < 150; n += 1) at.add(`i${n}`, { date: daysAgo(40 + n) });
  at.add("first");
  await at.night(alone);
  at.add("other", { account_id: "b" });
  await at.night(alone);
  at.bench.sandbox.addFault({ kind: "list_moves", operation: OPERATION, how: "replace", times: 1 });
  await at.night(alone);
  await at.bench.run(() => materialize(at.bench.deps, { runId: "end" }));
  const rows = await at.rows("select investment_transaction_id as id from investment_transactions");
  const truth = at.bench.sandbox.investments.truth("l").transactions as {
    investment_transaction_id: string;
  }[];
  expect(rows.map(({ id }) => id).sort()).toEqual(truth.map((one) => one.investment_transaction_id).sort());
});
