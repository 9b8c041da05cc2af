import { rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { removeOf } from "../../../src/lake/delta/delta-actions.js";
import { appendChanges } from "../../../src/lake/history/append-changes.js";
import { eachTest } from "../../helpers/each-test.js";
import { HistoryLake, night, observedQuery, THINGS, thing } from "../../helpers/history/history-lake.js";

const at = eachTest(() => HistoryLake.open());

const liveFiles = async (table: string) => [...(await at.lake.table(table).snapshot()).files.values()];
const deleteFile = (path: string) => rm(join(at.base, "lake", path));

test("the small table is brought up where the history has changed, and left alone where it has not", async () => {
  expect(await at.bringUp()).toEqual({});
  await at.night(1, ["u/a on", "u/b on"]);
  expect(await at.bringUp()).toEqual({ rows: 2 });
  expect(await at.bringUp()).toEqual({});
  await at.night(2, ["u/b off"]);
  expect(await at.small()).toEqual(["u/a on", "u/b on"]);
  expect(await at.current()).toEqual(["u/b off"]);
  expect(await at.bringUp()).toEqual({ rows: 1 });
  expect(await at.small()).toEqual(["u/b off"]);
  expect(await liveFiles("things_current")).toHaveLength(1);
  expect((await at.lake.table("things_current").snapshot()).version).toBe(1);
});

test("when the last thing is gone, the small table is empty and still there", async () => {
  await at.night(1, ["u/a on"]);
  await at.bringUp();
  await at.night(2, [], { whole: ["u"] });
  expect(await at.bringUp()).toEqual({ rows: 0 });
  expect([await at.small(), await at.current()]).toEqual([[], []]);
  await at.night(3, [], { whole: ["u"] });
  expect(await at.history()).toHaveLength(2);
});

test("two processes that bring it up at the same time make one small table", async () => {
  await at.night(1, ["u/a on"]);
  await Promise.all([at.bringUp(), at.bringUp(at.other), at.bringUp(at.other)]);
  expect(await at.small()).toEqual(["u/a on"]);
  expect(await liveFiles("things_current")).toHaveLength(1);
});

test("small files of a history are merged, and the last rows stay the last ones", async () => {
  const nights = Array.from({ length: 40 }, (_, n) => n + 1);
  for (const n of nights) {
    await at.night(n, [`u/a ${n}`, "u/b on"]);
    await at.bringUp();
  }
  expect((await liveFiles("things")).length).toBeLessThan(20);
  expect(await at.history()).toEqual([...nights.map((n) => `u/a ${n}`), "u/b on"]);
  expect(await at.current()).toEqual(["u/a 40", "u/b on"]);
});

test("files that were merged after the small table was brought up count once, also where one is vacuumed", async () => {
  for (let n = 1; n <= 16; n += 1) {
    await at.night(n, [`u/a ${n}`]);
    if (n === 2) await at.bringUp();
  }
  const merged = await liveFiles("things");
  await at.bringUp(at.other);
  expect(await liveFiles("things")).toHaveLength(1);
  await rm(join(at.base, "lake", "things_current"), { recursive: true });
  for (const { path } of merged) await deleteFile(`things/${path}`);
  await at.night(17, ["u/a 17"]);
  expect(await at.current()).toEqual(["u/a 17"]);
  expect(await at.bringUp()).toEqual({ rows: 1 });
});

test("rows that another tool took out of the history leave the small table", async () => {
  for (const [n, owner] of ["u", "v"].entries()) {
    await at.observe({ run: `r${n}`, at: night(n + 1), things: [thing(`${owner}/a on`)] });
  }
  await at.bringUp();
  await at.lake.table("things").commit(({ files }) => {
    const [first] = [...files.values()];
    return first === undefined ? null : [{ remove: removeOf(first, Date.now()) }];
  });
  expect(await at.current()).toEqual(["v/a on"]);
  expect(await at.bringUp()).toEqual({ rows: 1, because: expect.stringContaining("took rows away") });
  expect(await at.small()).toEqual(["v/a on"]);
});

test("a small table of another copy of the history is rebuilt, and says why", async () => {
  for (const n of [1, 2]) {
    await at.night(n, [`u/a ${n}`]);
  }
  await at.bringUp();
  await deleteFile("things/_delta_log/00000000000000000001.json");
  expect(await at.current()).toEqual(["u/a 1"]);
  expect(await at.bringUp()).toEqual({ rows: 1, because: expect.stringContaining("an older copy") });
  expect(await at.small()).toEqual(["u/a 1"]);
  await at.night(3, ["u/a 3"]);
  expect(await at.current()).toEqual(["u/a 3"]);
});

test("without the history the small table is left as it is", async () => {
  await at.night(1, ["u/a on"]);
  await at.bringUp();
  await rm(join(at.base, "lake", "things"), { recursive: true });
  await expect(at.bringUp()).rejects.toThrow("restore things from a backup");
  expect(await at.current()).toEqual(["u/a on"]);
});

test("the small table is brought up before its history has too many new rows", async () => {
  const one = observedQuery("r0", night(1), [thing("u/ on")]);
  const whole = [{ fpId: "u", linkId: null, readAt: night(1) }];
  const query = `select * exclude (id) replace (id::varchar as thing_id) from (${one}), range(260000) as ids(id)`;
  await appendChanges(at.lake, THINGS, "r0/g0", "r0", { query, whole });
  await at.observe({ run: "r1", at: night(2), things: [thing("v/a on")] });
  const { version } = await at.lake.table("things_current").snapshot();
  expect(version).toBe(0);
  const counted = await at.rows(
    "select count(*) as n, count(distinct (fp_id, thing_id)) as keys from things_current",
  );
  expect(counted).toEqual([{ n: 260_001, keys: 260_001 }]);
});

test("in a first load the small table is written again only when it would double", async () => {
  const one = observedQuery("r0", night(1), [thing("u/ on")]);
  const versions: number[] = [];
  for (let n = 0; n < 5; n += 1) {
    const query = `select * exclude (id) replace (id::varchar as thing_id, 'u${n}' as fp_id) from (${one}), range(130000) as ids(id)`;
    await appendChanges(at.lake, THINGS, `r0/g${n}`, "r0", { query, whole: [] });
    versions.push((await at.lake.table("things_current").snapshot()).version);
  }
  // 260,000 rows are brought up before the third commit; before the fifth, 260,000 more are no more than those.
  expect(versions).toEqual([-1, -1, 0, 0, 0]);
});
