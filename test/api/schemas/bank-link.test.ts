import { describe, expect, it } from "vitest";
import { bankLinkSchema } from "../../../src/api/schemas/bank-link.js";
import { rowProblem } from "../../../src/api/schemas/row-check.js";

describe("a bank link", () => {
  it.each<[string, object]>([
    ["with what a sync needs", {}],
    ["in an unknown state", { state: "paused" }],
    [
      "with odd products and tags, which are kept as JSON",
      { products: [], available_products: "x", tags: 5 },
    ],
  ])("%s passes", (_, change) =>
    expect(
      rowProblem(bankLinkSchema, { id: "link_1", fp_id: "fp_1", state: "connected", ...change }),
    ).toBeUndefined(),
  );

  it.each<[object, string]>([
    [{ id: " " }, "id: blank"],
    [{ id: "a/b" }, "id: can't be part of a path"],
    [{ id: ".." }, "id: can't be part of a path"],
    [{ state: undefined }, "state: not text"],
    [{ institution_name: 5 }, "institution_name: not text"],
  ])("%j: %s", (change, problem) =>
    expect(rowProblem(bankLinkSchema, { id: "link_1", state: "connected", ...change })).toBe(problem),
  );
});
