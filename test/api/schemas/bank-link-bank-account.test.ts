import { describe, expect, it } from "vitest";
import { bankAccountSchema } from "../../../src/api/schemas/bank-link.js";
import { rowProblem } from "../../../src/api/schemas/row-check.js";

const GOOD = { id: "acc_1", link_id: "link_1", name: "Checking" };

describe("a bank account", () => {
  it.each<[string, object]>([
    ["with its ids", {}],
    ["of an unknown type", { account_type: "crypto.cold" }],
    ["with any provider data", { raw_provider_data: [1, "x"] }],
    [
      "with balances as decimal strings or numbers",
      { balances: { current: "-1.5", available: 1.5, limit: "100", currency: "USD" } },
    ],
  ])("%s passes", (_, change) =>
    expect(rowProblem(bankAccountSchema, { ...GOOD, ...change })).toBeUndefined(),
  );

  it.each<[object, string]>([
    [{ link_id: "" }, "link_id: blank"],
    [{ closed: "no" }, "closed: not true or false"],
    [{ balances: { current: 1e21 } }, "balances.current: not a decimal string"],
    [{ balances: [] }, "balances: not an object"],
  ])("%j: %s", (change, problem) =>
    expect(rowProblem(bankAccountSchema, { ...GOOD, ...change })).toBe(problem),
  );
});
