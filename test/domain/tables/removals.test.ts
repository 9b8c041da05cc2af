import { expect, test } from "vitest";
import { refusalOf, refusedLists, removesTooMuch } from "../../../src/domain/tables/removals.js";

test.for([
  [0, 0, false],
  [20, 20, false],
  [21, 42, false],
  [21, 41, true],
] as const)("%s of %s known ones would go: too many %s", ([gone, known, isTooMuch]) => {
  expect(removesTooMuch({ gone, known })).toBe(isTooMuch);
});

const lists = (...of: readonly (readonly [name: string, gone: number, known: number])[]) =>
  of.map(([name, gone, known]) => ({ name, gone, known }));
const one = (count: number) => lists(...Array.from({ length: count }, (_, n) => [`u${n}`, 1, 1] as const));

test.for([
  ["few of few", lists(["a", 3, 3]), 0, 0, []],
  ["one list of many", lists(["a", 30, 30], ["b", 2, 9]), 0, 0, ["a list_would_remove 30 of 30"]],
  [
    "the only list of 25 users",
    one(25),
    0,
    0,
    one(25).map(({ name }) => `${name} list_would_remove 25 of 25 in all lists`),
  ],
  ["few now, after others before", lists(["a", 2, 2]), 19, 19, ["a list_would_remove 21 of 21 in all lists"]],
  ["half of all lists", [...one(25), ...lists(["b", 0, 25])], 0, 0, []],
  [
    "all of this commit, after many good ones",
    one(25),
    0,
    900,
    one(25).map(({ name }) => `${name} list_would_remove 25 of 25 in all lists`),
  ],
] as const)("%s", ([_, given, gone, known, refused]) => {
  const verdict = refusedLists(given, { gone, known });
  expect(verdict.refused.map((list) => `${list.name} ${refusalOf(list)}`)).toEqual(refused);
});

test("what is refused does not count against the others, and --full lets everything pass", () => {
  const all = lists(["a", 30, 30], ["b", 2, 9]);
  expect(refusedLists(all, { gone: 0, known: 0 }).taken).toEqual({ gone: 2, known: 9 });
  expect(refusedLists(all, "any")).toEqual({ refused: [], taken: { gone: 32, known: 39 } });
});
