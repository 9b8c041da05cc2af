import { expect, it } from "vitest";
import { OPERATIONS } from "../../../src/api/operations/index.js";
import { operationFacts, referencePage } from "../../../src/api/reference/reference.js";

it("docs/reference/api-operations.md says what the registry says", async () => {
  await expect(referencePage()).toMatchFileSnapshot("../../../docs/reference/api-operations.md");
});

it("every parameter says what is accepted, and has a name of its own within its operation", () => {
  for (const { operation, params } of operationFacts()) {
    expect(
      params.filter(({ rule }) => rule === ""),
      operation,
    ).toEqual([]);
    expect(new Set(params.map(({ name }) => name)).size, operation).toBe(params.length);
  }
});

it("every write says how a lost answer is resolved, and none that is not idempotent is sent again unseen", () => {
  for (const { name, idempotent, lostAnswer, method } of OPERATIONS) {
    expect(lostAnswer, name).toMatch(/\.$/);
    if (method === "GET") expect(idempotent, name).toBe(true);
    if (!idempotent)
      expect(lostAnswer, name).toMatch(
        /external_id|not sent again|Not sent again|Never sent again|changes nothing else/,
      );
  }
});
