import { afterEach, beforeEach, expect, test } from "vitest";
import { type Lake, openLake } from "../../../src/lake/lake.js";
import { bringUpLinks } from "../../../src/lake/lineage/bring-up-links.js";
import { materialize } from "../../../src/lake/materialize/materialize.js";
import { type Change, FeedLake } from "../../helpers/lake/feed-lake.js";
import { auditLinks } from "../../helpers/lake/lineage/audit-links.js";
import { linksInShort } from "../../helpers/lake/lineage/link-rows.js";

let at: FeedLake;
beforeEach(async () => {
  at = await FeedLake.open();
});
afterEach(() => at.release());

async function night(...changes: Change[]): Promise<void> {
  await at.feed(...changes);
  await materialize(at.lake);
}

test("a link in parts of its accounts has the pairs of the whole, though a row changes its account", async () => {
  const pending = { pending: true, amount: "4" };
  await night(
    { id: "p", sequence: 1, ...pending, account: "one" },
    { id: "moves", sequence: 2, ...pending, account: "one" },
    { id: "third", sequence: 3, ...pending, account: "three" },
  );
  await night(
    { id: "moves", sequence: 4, type: "updated", ...pending, account: "two", run: "r2" },
    { id: "p", sequence: 5, type: "removed", run: "r2" },
  );
  await bringUpLinks(at.lake, { prefix: "r", rangeRows: 1 });
  await night(
    { id: "moves", sequence: 6, type: "removed", run: "r3" },
    { id: "third", sequence: 7, type: "removed", run: "r3" },
    { id: "q1", sequence: 8, amount: "4", account: "one", run: "r3" },
    { id: "q2", sequence: 9, amount: "4", account: "two", run: "r3" },
    { id: "q3", sequence: 10, amount: "4", account: "three", run: "r3" },
  );
  await bringUpLinks(at.lake, { prefix: "r", rangeRows: 1 });
  expect(await linksInShort(at)).toEqual([
    "a/p → q1 exact 1:1",
    "a/moves → q2 exact 1:1",
    "a/third → q3 exact 1:1",
  ]);
  expect(await auditLinks(at.directory)).toEqual([]);
});

test("a range that does not fit into memory is judged in halves", async () => {
  const many = 10_000;
  const places = Array.from({ length: many / 2 }, (_, place) => place);
  await night(
    ...places.map((n) => ({ id: `p${n}`, sequence: n + 1, pending: true, account: `acc${n % 7}` })),
  );
  await night(
    ...places.map((n) => ({ id: `p${n}`, sequence: many + n, type: "removed", run: "r2" }) as const),
    ...places.map((n) => ({ id: `q${n}`, sequence: 2 * many + n, account: `acc${n % 7}`, run: "r2" })),
  );
  let statements = 0;
  expect(await bringUpLinks(outOfMemoryOnce(at.lake), { prefix: "r" })).toEqual({ rows: many / 2 });
  expect(statements).toBeGreaterThan(1);
  expect(await auditLinks(at.directory)).toEqual([]);

  /** A lake whose SQL runs out of memory when the first range is judged. */
  function outOfMemoryOnce(lake: Lake): Lake {
    const { duckdb } = lake;
    return {
      ...lake,
      duckdb: {
        ...duckdb,
        exclusive: (work, threads) =>
          duckdb.exclusive(
            (sql) =>
              work({
                ...sql,
                run(text, parameters) {
                  if (text.includes("temp table judged (")) statements += 1;
                  else return sql.run(text, parameters);
                  if (statements === 1) throw new Error("Out of Memory Error: failed to allocate data");
                  return sql.run(text, parameters);
                },
              }),
            threads,
          ),
      },
    };
  }
});

test("two calls at once, of one process or of two, make each row once", async () => {
  await night({ id: "p", sequence: 1, pending: true });
  await bringUpLinks(at.lake, { prefix: "r" });
  await night({ id: "p", sequence: 2, type: "removed", run: "r2" }, { id: "q", sequence: 3, run: "r2" });
  const other = openLake({ directory: at.directory });
  try {
    const done = await Promise.all(
      [at.lake, at.lake, other].map((lake) => bringUpLinks(lake, { prefix: "r" })),
    );
    expect(done.map(({ rows }) => rows).sort()).toEqual([0, 0, 1]);
  } finally {
    await other.close();
  }
  expect(await linksInShort(at)).toEqual(["a/p → q exact 1:1"]);
});
