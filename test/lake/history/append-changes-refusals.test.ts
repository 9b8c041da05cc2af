import { expect, test } from "vitest";
import { knownUntil } from "../../../src/lake/history/whole-lists.js";
import { eachTest } from "../../helpers/each-test.js";
import { HistoryLake, THINGS, type Thing } from "../../helpers/history/history-lake.js";

const at = eachTest(() => HistoryLake.open());

const night = (n: number) => new Date(Date.UTC(2026, 0, n, 2));
const many = (owner: string, count: number, state = "on"): Thing[] =>
  Array.from({ length: count }, (_, n) => ({ owner, id: `t${n}`, state }));
const gone = async () => (await at.history()).filter((row) => row.endsWith("gone"));
const refusal = (owner: string, lost: number, known: number) => {
  return { list: { fpId: owner, linkId: null }, gone: lost, known };
};

test("nothing of a list that would lose too much is taken, and the other users' lists are", async () => {
  await at.observe({ run: "r1", at: night(1), things: [...many("u", 30), ...many("v", 3)] });
  const lie = { things: [...many("u", 2, "off"), ...many("v", 1, "off")], whole: ["u", "v"] };
  const told = await at.observe({ run: "r2", at: night(2), ...lie });
  expect(told).toEqual({ isRead: true, refused: [refusal("u", 28, 30)], taken: { known: 3, gone: 2 } });
  expect(await gone()).toEqual(["v/t1 on gone", "v/t2 on gone"]);
  expect((await at.current()).filter((row) => row.endsWith("off"))).toEqual(["v/t0 off"]);
  await at.observe({ run: "r3", at: night(3), things: many("u", 30) });
  expect((await at.history()).filter((row) => row.startsWith("u/"))).toHaveLength(30);
});

// The next window would begin behind the refused one, and what that had of earlier days would never come.
test("a refused list was not read: its window stays where it was", async () => {
  const read = (n: number, things: readonly Thing[]) =>
    at.observe({ run: `r${n}`, at: night(n), things, whole: ["u"], until: `2026-01-0${n}` });
  await read(1, many("u", 30));
  expect(await read(2, [])).toMatchObject({ refused: [refusal("u", 30, 30)] });
  const history = () => at.lake.table(THINGS.name).snapshot();
  expect(knownUntil(await history(), { fpId: "u", linkId: null })).toBe("2026-01-01");
  await read(3, many("u", 30));
  expect(knownUntil(await history(), { fpId: "u", linkId: null })).toBe("2026-01-03");
});

test("a repetition says what was refused, though another run has changed the lists since", async () => {
  await at.observe({ run: "r1", at: night(1), things: many("u", 30) });
  const lie = { run: "r2", at: night(2), things: [], whole: ["u"] };
  const first = await at.observe(lie);
  await at.observe({ run: "r3", at: night(3), things: many("u", 4), removals: "any" });
  expect(await at.observe(lie)).toEqual({ ...first, isRead: false });
  expect(first.refused).toEqual([refusal("u", 30, 30)]);
  expect(await at.current()).toHaveLength(4);
});

test("the lists of 25 users with one thing each are not all emptied, also when they come in two commits", async () => {
  const users = Array.from({ length: 25 }, (_, n) => `u${n}`);
  await at.observe({ run: "r1", at: night(1), things: users.flatMap((user) => many(user, 1)) });
  const first = await at.observe({ run: "r2", at: night(2), things: [], whole: users.slice(0, 15) });
  expect(first).toMatchObject({ refused: [], taken: { known: 15, gone: 15 } });
  const part = { run: "r2", part: "g1", at: night(2), things: [], whole: users.slice(15) };
  const second = await at.observe({ ...part, removals: first.taken });
  expect(second.refused.map(({ list, ...of }) => of)).toEqual(
    users.slice(15).map(() => ({ gone: 25, known: 25, together: true })),
  );
  expect(await gone()).toHaveLength(15);
});

test("a list that is older than what is known would remove nothing, so nothing is refused", async () => {
  await at.observe({ run: "r2", at: night(2), things: many("u", 30) });
  const late = await at.observe({ run: "r1", at: night(1), things: many("u", 2), whole: ["u"] });
  expect(late).toMatchObject({ refused: [], taken: { known: 30, gone: 0 } });
});
