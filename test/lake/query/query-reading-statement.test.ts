import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openQuery } from "../../../src/lake/query/query.js";
import { eachFile } from "../../helpers/each-test.js";
import { GOOD_STATEMENTS, hostileExamples, idleStatements } from "../../helpers/lake/hostile-statements.js";
import { NAMES, openHostileLake } from "../../helpers/query/hostile-lake.js";

const at = eachFile(openHostileLake);

// `test/long/lake/hostile-statements.test.ts` tries all.
describe("a statement that is after something else than the tables is refused", () => {
  test.each(hostileExamples(NAMES).map((sql, n) => [n, sql] as const))("%i: %s", async (n) => {
    await at.expectRefused(hostileExamples(at.targets)[n] as string);
  });
});

describe("a statement that may be answered changes and tells nothing", () => {
  test.each(idleStatements(NAMES).map((sql, n) => [n, sql] as const))("%i: %s", async (n) => {
    await at.expectIdle(idleStatements(at.targets)[n] as string);
  });
});

test.each(GOOD_STATEMENTS)("%s works", async (sql) => {
  expect((await at.rowsOf(sql)).length).toBeGreaterThan(0);
});

test("a query that needs more memory than it has spills, and leaves nothing", async () => {
  const small = openQuery(at.lake.store, {
    scratchDirectory: join(at.lake.directory, "..", "scratch-small"),
    memoryLimitMb: 64,
  });
  // What is counted needs every row in order; the rows themselves would cost more to hand over than to sort.
  const sql = `select count(*) as rows, count(*) filter (t < before) as wrong
    from (select t, lag(t) over (order by t) as before
      from (select hash(range)::varchar || repeat('x', 60) as t from range(1000000)))`;
  const found: unknown[] = [];
  for await (const batch of small.query(sql)) found.push(...batch);
  expect(found).toEqual([{ rows: 1_000_000, wrong: 0 }]);
  await small.close();
});
