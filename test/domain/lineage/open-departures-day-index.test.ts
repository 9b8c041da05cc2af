import { expect, test } from "vitest";
import { DayIndex } from "../../../src/domain/lineage/open-departures.js";

interface Row {
  readonly name: string;
  readonly day: number;
}

const rows: Row[] = [
  { name: "a3", day: 3 },
  { name: "a1", day: 1 },
  { name: "b1", day: 1 },
  { name: "b3", day: 3 },
  { name: "a1 again", day: 1 },
];
const index = new DayIndex<Row>(({ name }) => [name.slice(0, 1)]);
for (const row of rows) index.add(row);

test.each([
  { from: 1, to: 3, most: 9, count: 5, names: ["a1", "a1 again", "a3", "b1", "b3"] },
  { from: 2, to: 3, most: 9, count: 2, names: ["a3", "b3"] },
  { from: 1, to: 2, most: 9, count: 3, names: ["a1", "a1 again", "b1"] },
  { from: 1, to: 3, most: 4, count: 5, names: ["a1", "a1 again", "a3", "b1"] },
  { from: 1, to: 3, most: 2, count: 5, names: ["a1", "a1 again"] },
  { from: 4, to: 9, most: 9, count: 0, names: [] },
])("from day $from to $to, at most $most rows of all keys together", ({ count, names, ...asked }) => {
  const found = index.within(["a", "b", "c"], asked.from, asked.to, asked.most);
  expect(found.count).toBe(count);
  expect(found.first.map(({ name }) => name)).toEqual(names);
});

test("a row is removed from each of its keys, and one that is not there from none", () => {
  const one = new DayIndex<Row>(() => ["x", "y"]);
  const [kept, removed, other] = rows as [Row, Row, Row];
  for (const row of [kept, removed]) one.add(row);
  for (const row of [removed, removed, other]) one.remove(row);
  expect([one.of("x"), one.of("y")]).toEqual([[kept], [kept]]);
});
