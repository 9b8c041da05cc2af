import { hash } from "node:crypto";
import { expect, test } from "vitest";
import {
  chunksOf,
  type ImportRow,
  importKey,
  importNames,
  rowsName,
} from "../../../src/domain/bulk/import-row.js";

const sha256 = (text: string) => hash("sha256", text);
const row = (fields: Partial<ImportRow> = {}): ImportRow => ({
  link_id: "l",
  account_id: "a",
  amount: "12.50",
  date: "2026-11-02",
  ...fields,
});
const namesOf = (...rows: ImportRow[]) => {
  const names = importNames(sha256);
  return rows.map((one) => names(one).transaction_id);
};

test("the same rows get the same names, in whatever order, and equal rows each their own", () => {
  const other = row({ amount: "1.00" });
  const [a, b, c] = namesOf(row(), row(), other);
  expect(new Set([a, b, c]).size).toBe(3);
  expect(namesOf(other, row(), row())).toEqual([c, a, b]);
  expect(namesOf(row(), row())).toEqual([a, b]);
  expect(a).toMatch(/^nl-[0-9a-f]{32}$/);
});

test.each<[string, Partial<ImportRow>]>([
  ["the link", { link_id: "m" }],
  ["the account", { account_id: "b" }],
  ["the amount as it is written", { amount: "12.5" }],
  ["the date as it is written", { date: "2026-11-02T00:00:00Z" }],
  ["a description, empty or not", { description: "" }],
  ["the type", { transaction_type: "debit" }],
])("%s is part of a name", (_part, fields) => {
  expect(namesOf(row(fields))).not.toEqual(namesOf(row()));
});

test("an id of the customer's own stays, and counts no ordinal", () => {
  const [own, first] = namesOf(row({ transaction_id: "own-1" }), row());
  expect(own).toBe("own-1");
  expect(first).toBe(namesOf(row())[0]);
});

test("a row is known by link, account and id, whatever these have in them", () => {
  const keys = [
    importKey({ link_id: "l", account_id: "a", transaction_id: "b" }),
    importKey({ link_id: "l", account_id: 'a","b', transaction_id: "" }),
    importKey({ link_id: "l,a", account_id: "b", transaction_id: "" }),
  ];
  expect(new Set(keys).size).toBe(3);
});

test("a request is named after its rows", () => {
  const name = (...lines: number[]) =>
    rowsName(
      lines.map((line) => ({ line })),
      sha256,
    );
  expect(name(1, 2)).toBe(name(1, 2));
  expect(new Set([name(1, 2), name(12), name(1), name(2, 1)]).size).toBe(4);
});

test("chunks hold rows of one link, in their order, up to the size", () => {
  const rows = ["l", "m", "l", "l", "m", "l", "l"].map((link_id, line) => ({ line, row: row({ link_id }) }));
  expect(chunksOf(rows, 2).map((chunk) => chunk.map(({ line }) => line))).toEqual([
    [0, 2],
    [1, 4],
    [3, 5],
    [6],
  ]);
  expect(chunksOf([], 2)).toEqual([]);
});

test.each(["description", "Größe 漢字 😀 ", '"\\'])(
  "a request of long rows has less than 1 MB: %s",
  (text) => {
    const rows = Array.from({ length: 40 }, (_, line) => ({
      line,
      row: row({ description: text.repeat(8_000) }),
    }));
    const chunks = chunksOf(rows, 5_000);
    const bodies = chunks.map((chunk) => JSON.stringify({ transactions: chunk.map((one) => one.row) }));
    expect(chunks.flat()).toEqual(rows);
    expect(Math.max(...bodies.map((body) => Buffer.byteLength(body)))).toBeLessThan(1_000_000);
  },
);
