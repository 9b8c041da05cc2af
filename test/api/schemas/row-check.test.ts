import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { bankAccountSchema, bankLinkSchema } from "../../../src/api/schemas/bank-link.js";
import { rowCheck } from "../../../src/api/schemas/row-check.js";
import {
  bankTransactionSchema,
  investmentTransactionSchema,
  removedIdSchema,
  securitySchema,
} from "../../../src/api/schemas/transaction.js";

const value = fc.oneof(
  fc.constantFrom<unknown>(null, undefined, true, "", " ", "x", "a/b", "..", "\ud800", "debit", "credit"),
  fc.constantFrom<unknown>(
    "2024-02-29",
    "2023-02-29",
    "12.50",
    "1e3",
    5,
    1.5,
    Number.POSITIVE_INFINITY,
    {},
    [],
    [{}],
  ),
  fc.record({ value: fc.constantFrom<unknown>("x", null, 5), id: fc.constantFrom<unknown>("x", {}) }),
);

const SCHEMAS: Record<string, z.ZodObject> = {
  bankAccountSchema,
  bankLinkSchema,
  bankTransactionSchema,
  investmentTransactionSchema,
  securitySchema,
};

const GOOD: Record<string, unknown> = {
  amount: "12.50",
  date: "2024-02-29",
  type: "debit",
  enrichment: { category: { value: "x" }, merchant: { id: "m" } },
  balances: { current: "1" },
  closed: false,
  pending: true,
};

describe.each(Object.entries(SCHEMAS))("the predicate of %s", (_, schema) => {
  const good = Object.fromEntries(
    Object.keys(schema.shape).map((name) => [
      name,
      name in GOOD ? GOOD[name] : /fee|price|quantity|rate/.test(name) ? "1" : "x",
    ]),
  );

  it("passes a whole row, with fields that nobody knows", () => {
    expect(rowCheck(schema)({ ...good, more: { and: 1 } })).toBe(true);
  });

  it("says of every row what the schema says", () => {
    const names = Object.keys(schema.shape);
    const change = fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 3, noNullPrototype: true });
    fc.assert(
      fc.property(
        fc.oneof(
          change.map((fields) => ({ ...good, ...fields })),
          value,
        ),
        (row) => {
          expect(rowCheck(schema)(row)).toBe(schema.safeParse(row).success);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});

it("an id is judged as its schema judges it", () => {
  fc.assert(
    fc.property(value, (id) => {
      expect(rowCheck(removedIdSchema)(id)).toBe(removedIdSchema.safeParse(id).success);
    }),
  );
});

it.each<[string, z.ZodType, unknown]>([
  ["a strict object", z.strictObject({ a: z.string() }), { a: "x" }],
  ["a rule that is not a refinement", z.string().min(1), "x"],
  ["a kind that is not known", z.literal("x"), "x"],
  ["one of them within", z.looseObject({ a: z.string().max(3) }), { a: "x" }],
])("%s never passes: its schema judges", (_, schema, row) => {
  expect(schema.safeParse(row).success).toBe(true);
  expect(rowCheck(schema)(row)).toBe(false);
});
