import { afterEach, expect, test, vi } from "vitest";
import { eachTest } from "../../helpers/each-test.js";
import { HistoryLake, night, thing } from "../../helpers/history/history-lake.js";

const at = eachTest(() => HistoryLake.open());
afterEach(async () => {
  vi.useRealTimers();
});

const version = async () => (await at.lake.table("things").snapshot()).version;

test("a row where an observation differs from the last one, and nothing where it does not", async () => {
  await at.night(1, ["u/a on", "u/b -"]);
  await at.night(2, ["u/a on", "u/b -"]);
  expect(await version()).toBe(0);
  await at.night(3, ["u/a on", "u/b on"]);
  await at.night(4, ["u/a -", "u/b on"]);
  expect(await at.history()).toEqual(["u/a on", "u/a -", "u/b -", "u/b on"]);
  expect(await at.current()).toEqual(["u/a -", "u/b on"]);
});

test("what is no longer listed is gone, once, and comes back with a row of its own", async () => {
  await at.night(1, ["u/a on", "v/a on"]);
  for (const n of [2, 3]) await at.night(n, [], { whole: ["u"] });
  expect(await at.history()).toEqual(["u/a on", "u/a on gone", "v/a on"]);
  expect(await at.current()).toEqual(["v/a on"]);
  expect(await at.rows("select run_id, observed_at, amount from things where gone")).toEqual([
    { run_id: "r2", observed_at: "2026-01-02T02:00:00.000000Z", amount: "1.5000000000" },
  ]);
  await at.bringUp();
  await at.night(4, ["u/a on"]);
  expect(await at.history()).toEqual(["u/a on", "u/a on gone", "u/a on", "v/a on"]);
  expect(await at.current()).toEqual(["u/a on", "v/a on"]);
});

test("keys with null in them are one key, and one thing in two lists is two", async () => {
  for (const n of [1, 2]) {
    const things = [thing("u/- on"), thing("v/- off")];
    await at.observe({ run: `r${n}`, at: night(n), things });
    await at.bringUp();
  }
  expect(await at.history()).toEqual(["u/- on", "v/- off"]);
  await at.night(3, [], { whole: ["u"] });
  expect(await at.current()).toEqual(["v/- off"]);
});

test("what a list names twice is one row, whatever the order", async () => {
  const twice = [thing("u/a on"), thing("u/a off")];
  await at.observe({ run: "r1", at: night(1), things: twice });
  await at.observe({ run: "r2", at: night(2), things: twice.toReversed() });
  expect(await at.history()).toHaveLength(1);
});

test("an observation of the very moment at which its key went adds nothing", async () => {
  await at.night(1, ["u/a on"]);
  await at.night(2, [], { whole: ["u"] });
  await at.bringUp();
  await at.observe({ run: "r3", at: night(2), things: [thing("u/a on")] });
  expect(await at.history()).toEqual(["u/a on", "u/a on gone"]);
});

test("a clock that was ahead makes no state last: the next row follows a microsecond later", async () => {
  vi.useFakeTimers({ now: night(1), toFake: ["Date"] });
  await at.observe({ run: "r1", at: new Date("2031-01-01"), things: [thing("u/a on")] });
  await at.night(2, ["u/a off"]);
  await at.night(3, ["u/a off"]);
  await at.night(4, [], { whole: ["u"] });
  await at.bringUp();
  await at.night(5, ["u/a new"]);
  expect(await at.history()).toEqual(["u/a on", "u/a off", "u/a off gone", "u/a new"]);
  expect(await at.current()).toEqual(["u/a new"]);
  const [last] = await at.rows("select max(observed_at) as at from things");
  expect(last).toEqual({ at: "2031-01-01T00:00:00.000003Z" });
});

test("two processes that observe the same at the same time add it once", async () => {
  for (const n of [1, 2, 3, 4, 5]) {
    const things = [thing(`u/a ${n}`), thing("u/b on")];
    const both = [at.lake, at.other].map((lake, part) =>
      at.observe({ run: `r${n}-${part}`, at: night(n), things }, lake),
    );
    await Promise.all([...both, at.bringUp(at.other)]);
  }
  expect(await at.history()).toEqual(["u/a 1", "u/a 2", "u/a 3", "u/a 4", "u/a 5", "u/b on"]);
});
