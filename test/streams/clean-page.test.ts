import fc from "fast-check";
import { expect, test } from "vitest";
import { cleanPage, deliveredText } from "../../src/streams/clean-page.js";
import { readPage } from "../../src/streams/page-reading.js";
import { EnvelopeError } from "../../src/streams/raw-json.js";
import { transactionStream } from "../../src/streams/transactions.js";
import { rawRow } from "../helpers/sync/sync-harness.js";
import { valueText } from "./json-texts.js";

const good = fc.tuple(fc.uuid(), valueText).map(([id, extra]) => rawRow(id, { extra }));
const bad = fc.oneof(
  valueText,
  fc.uuid().map((id) => rawRow(id, { amount: "1e-11" })),
  fc.constant(rawRow(" ")),
  fc.uuid().map((id) => rawRow(id, { extra: '{"k":1,"k":1}' })),
);
const rows = fc.array(
  fc.oneof(
    good.map((text) => ({ text, good: true })),
    bad.map((text) => ({ text, good: false })),
  ),
  { maxLength: 8 },
);

const pageOf = (created: readonly string[], updated: readonly string[], removed: readonly string[]) =>
  `{"has_more":false,"transactions":{ "removed":[${removed.join(", ")}],"updated":[${updated.join(",")}],"created":[${created.join(
    ",",
  )}]} ,"cursor":{"next":"c"}}`;

test("a clean page keeps every good row's text and index, and every bad row its own words", () => {
  fc.assert(
    fc.property(rows, rows, (created, updated) => {
      const text = pageOf(
        created.map((row) => row.text),
        updated.map((row) => row.text),
        ['"gone"', '" "', "7"],
      );
      const reading = readPage(transactionStream, Buffer.from(text));
      const { clean, bad: cut } = cleanPage(transactionStream, reading);
      const parsed = JSON.parse(clean) as { transactions: Record<string, unknown[]> };
      expect(parsed.transactions.removed).toEqual(["gone", null, null]);
      for (const [name, given] of [
        ["created", created],
        ["updated", updated],
      ] as const) {
        const list = parsed.transactions[name] ?? [];
        expect(list).toHaveLength(given.length);
        for (const [index, row] of given.entries()) {
          const problem = cut.find((one) => one.list === name && one.index === index);
          expect(problem === undefined).toBe(row.good);
          expect(list[index] === null).toBe(!row.good);
          if (problem !== undefined) expect(problem.payload).toBe(row.text.trim());
        }
      }
      expect(/\p{Surrogate}/u.test(JSON.stringify(parsed))).toBe(false);
    }),
    { numRuns: 200 },
  );
});

test("further rows are cut out with their own reason", () => {
  const text = pageOf([rawRow("a"), rawRow("b")], [], ['"c"']);
  const reading = readPage(transactionStream, Buffer.from(text));
  expect(reading.needsCleaning).toBe(false);
  const further = [{ list: "created", index: 1, reason: "refused by SQL" }];
  const { clean, bad: cut } = cleanPage(transactionStream, reading, further);
  expect(cut).toEqual([{ list: "created", index: 1, reason: "refused by SQL", payload: rawRow("b") }]);
  expect(clean).toBe(`{"transactions":{"created":[${rawRow("a")},null],"updated":[],"removed":["c"]}}`);
});

test("a number is an amount by its digits, an object of another field keeps its own, and of a day with a time both are there", () => {
  const fields = { amount: "1234567.1000000000", date: '"2026-11-21T00:00:00Z"', fee: '{"amount":1.50}' };
  const reading = readPage(transactionStream, Buffer.from(pageOf([rawRow("a", fields)], [rawRow("b")], [])));
  expect(reading).toMatchObject({
    problems: [],
    needsCleaning: true,
    unknownFields: new Set(["date.time", "fee"]),
  });
  const { transactions } = JSON.parse(cleanPage(transactionStream, reading).clean);
  expect(transactions.created[0]).toMatchObject({
    amount: "1234567.1000000000",
    other_fields: '{"date":"2026-11-21T00:00:00Z","fee":{"amount":1.50}}',
  });
});

test("a repeated key of the envelope is the page's failure, never a guess", () => {
  const text = pageOf([], [], []).replace('"transactions"', '"transactions":{},"transactions"');
  const reading = readPage(transactionStream, Buffer.from(text));
  expect(() => cleanPage(transactionStream, reading)).toThrow(EnvelopeError);
});

test("what a page delivered is the raw text of its lists, whatever cursor is beside them", () => {
  const one = pageOf([rawRow("a")], [], []);
  const other = one.replace('"next":"c"', '"next":"d"');
  expect(deliveredText(transactionStream, one)).toBe(deliveredText(transactionStream, other));
  expect(deliveredText(transactionStream, one)).not.toBe(
    deliveredText(transactionStream, pageOf([rawRow("b")], [], [])),
  );
});

test("a page nested so deep that its rows can't be cut out is the page's failure, in words", () => {
  const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
  const text = pageOf([rawRow("a"), rawRow("deep", { extra: deep }), rawRow(" ")], [], []);
  const reading = readPage(transactionStream, Buffer.from(text));
  expect(() => cleanPage(transactionStream, reading)).toThrow(new EnvelopeError("", "nested too deep"));
});
