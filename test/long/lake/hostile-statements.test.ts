import { expect, test } from "vitest";
import { eachFile } from "../../helpers/each-test.js";
import { hostileStatements } from "../../helpers/lake/hostile-statements.js";
import { NAMES, openHostileLake } from "../../helpers/query/hostile-lake.js";

const at = eachFile(openHostileLake);

test.each(hostileStatements(NAMES).map((sql, n) => [n, sql] as const))(
  "a statement that is after something else than the tables is refused: %i: %s",
  async (n) => {
    await at.expectRefused(hostileStatements(at.targets)[n] as string);
  },
);

test("at least sixty hostile statements are tried", () => {
  expect(new Set(hostileStatements(NAMES)).size).toBeGreaterThanOrEqual(60);
});
