import { describe, expect, it } from "vitest";
import { rowProblem } from "../../../src/api/schemas/row-check.js";
import { bankTransactionSchema, removedIdSchema } from "../../../src/api/schemas/transaction.js";

const GOOD = {
  transaction_id: "txn_1",
  account_id: "acc_1",
  amount: "12.34",
  currency: "USD",
  date: "2026-11-21",
  datetime: null,
  type: "debit",
  pending: false,
};

describe("a transaction that can be loaded passes", () => {
  it.each<[string, object]>([
    ["as the contract has it", {}],
    ["optional fields null", { pending: null, description: null, category: null, enrichment: null }],
    ["an unknown field", { surprise: { a: [1] } }],
    ["a datetime of any kind: only the instant is lost", { datetime: "yesterday" }],
    ["a datetime that is a number", { datetime: 5 }],
    ["a score of any kind", { enrichment: { category: { value: "food", confidence: { odd: 1 } } } }],
    ["a lone surrogate in text, which is replaced at staging", { description: "x\ud800" }],
    ["an unusual currency, kept as given", { currency: " xbt " }],
  ])("%s", (_, change) => expect(rowProblem(bankTransactionSchema, { ...GOOD, ...change })).toBeUndefined());
});

describe("one that can't is named by field and rule, never by what it holds", () => {
  it.each<[object, string]>([
    [{ transaction_id: "" }, "transaction_id: blank"],
    [{ transaction_id: " \t" }, "transaction_id: blank"],
    [{ transaction_id: 5 }, "transaction_id: not text"],
    [{ transaction_id: undefined }, "transaction_id: not text"],
    [{ transaction_id: "secret\udc00" }, "transaction_id: has a lone surrogate"],
    [{ account_id: null }, "account_id: not text"],
    [{ amount: 12.34 }, "amount: not a decimal string"],
    [{ amount: "1e3" }, "amount: not a decimal string"],
    [{ amount: "1234567890123456789" }, "amount: has more than 18 digits before the point"],
    [{ amount: "-0.12345678901" }, "amount: has more than ten decimals"],
    [{ amount: "1.5 " }, "amount: not a decimal string"],
    [{ amount: "secret" }, "amount: not a decimal string"],
    [{ date: "2026-02-30" }, "date: not a day YYYY-MM-DD"],
    [{ date: 20261121 }, "date: not a day YYYY-MM-DD"],
    [{ type: "Debit" }, "type: not debit or credit"],
    [{ type: null }, "type: not debit or credit"],
    [{ currency: "" }, "currency: blank"],
    [{ currency: null }, "currency: not text"],
    [{ pending: "true" }, "pending: not true or false"],
    [{ description: { secret: 1 } }, "description: not text"],
    [{ category: 5 }, "category: not text"],
    [{ enrichment: "secret" }, "enrichment: not an object"],
    [{ enrichment: ["secret"] }, "enrichment: not an object"],
    [{ enrichment: { merchant: "secret" } }, "enrichment.merchant: not an object"],
    [{ enrichment: { merchant: { id: 5 } } }, "enrichment.merchant.id: not text"],
    [{ enrichment: { category: { value: false } } }, "enrichment.category.value: not text"],
  ])("%j: %s", (change, problem) =>
    expect(rowProblem(bankTransactionSchema, { ...GOOD, ...change })).toBe(problem),
  );

  it("a row that breaks several rules names each of them", () =>
    expect(rowProblem(bankTransactionSchema, { ...GOOD, amount: "x", date: "y" })).toBe(
      ["amount", "date"]
        .map((name) => rowProblem(bankTransactionSchema, { ...GOOD, [name]: "x" }))
        .join("; "),
    ));

  it.each([null, [], "secret", 5])("%j is not an object", (row) =>
    expect(rowProblem(bankTransactionSchema, row)).toBe("not an object"),
  );

  it.each<[unknown, string | undefined]>([
    ["txn_1", undefined],
    ["", "blank"],
    [5, "not text"],
    [{ id: "txn_1" }, "not text"],
  ])("removed id %j: %s", (id, problem) => expect(rowProblem(removedIdSchema, id)).toBe(problem));
});
