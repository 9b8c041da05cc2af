import { expect, test } from "vitest";
import { counted } from "../../../src/domain/words/counted.js";

test("a noun follows its number", () => {
  expect([0, 1, 2].map((count) => counted(count, "user"))).toEqual(["0 users", "1 user", "2 users"]);
  expect(counted(2, "business", "businesses")).toBe("2 businesses");
});
