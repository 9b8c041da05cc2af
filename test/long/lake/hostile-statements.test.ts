import { afterAll, beforeAll, expect, test } from "vitest";
import { hostileStatements } from "../../helpers/lake/hostile-statements.js";
import { type HostileLake, NAMES, openHostileLake } from "../../helpers/query/hostile-lake.js";

let at: HostileLake;
beforeAll(async () => {
  at = await openHostileLake();
});
afterAll(() => at.close());

test.each(hostileStatements(NAMES).map((sql, n) => [n, sql] as const))(
  "a statement that is after something else than the tables is refused: %i: %s",
  async (n) => {
    await at.expectRefused(hostileStatements(at.targets)[n] as string);
  },
);

test("at least sixty hostile statements are tried", () => {
  expect(new Set(hostileStatements(NAMES)).size).toBeGreaterThanOrEqual(60);
});
