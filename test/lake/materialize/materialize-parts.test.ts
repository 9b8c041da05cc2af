import { expect, test } from "vitest";
import type { Lake } from "../../../src/lake/lake.js";
import { materialize } from "../../../src/lake/materialize/materialize.js";
import { eachTest } from "../../helpers/each-test.js";
import { FeedLake } from "../../helpers/lake/feed-lake.js";

const ALL = ["a/k1 1 2026-05-05", "a/k2 9 2026-05-05", "a/k4 1 2026-05-05", "a/k5 1 2026-05-05"];

const at = eachTest(() => FeedLake.open());

/** Versions of a row each, one of a cursor alone among them, with a change and a removal of earlier rows. */
async function versions(): Promise<void> {
  await at.feed({ id: "k1", sequence: 1 });
  await at.feed({ id: "k2", sequence: 2 });
  await at.feed({ id: "k3", sequence: 3 }, { id: "k4", sequence: 4 });
  await at.feed();
  await at.feed({ id: "k3", sequence: 5, type: "removed" });
  await at.feed({ id: "k2", sequence: 6, type: "updated", amount: "9" });
  await at.feed({ id: "k5", sequence: 7 });
  await at.feed();
}

/** A lake whose call is ended once so many parts are committed, as a time-out or a kill ends it. */
function endedAfter(parts: number): { lake: Lake; signal: AbortSignal } {
  const ending = new AbortController();
  let committed = 0;
  const table: Lake["table"] = (name) => {
    const found = at.lake.table(name);
    if (name !== "transactions") return found;
    const commit = found.commit.bind(found);
    const counting: typeof commit = async (...given) => {
      const done = await commit(...given);
      committed += 1;
      if (committed === parts) ending.abort(new Error("time is up"));
      return done;
    };
    return Object.assign(Object.create(found), { commit: counting, snapshot: () => found.snapshot() });
  };
  return { lake: { ...at.lake, table }, signal: ending.signal };
}

const watermark = async () =>
  (await at.lake.table("transactions").snapshot()).txns.get("transaction_changes")?.version;

test("much to apply is applied in parts, each with its watermark, and never a part of a version", async () => {
  await versions();
  expect(await materialize(at.lake, { partRows: 2 })).toEqual({
    from: -1,
    to: 7,
    rows: expect.any(Number),
    rewritten: expect.any(Number),
    rebuilt: false,
  });
  expect((await at.lake.table("transactions").snapshot()).version).toBe(3);
  expect(await at.rows()).toEqual(ALL);
  expect(await at.unreferenced()).toEqual([]);
  expect(await materialize(at.lake, { partRows: 2 })).toMatchObject({ from: 7, to: 7, rows: 0 });
});

test("a call that is stopped again and again continues after its last part, and finishes", async () => {
  await versions();
  const marks: (number | undefined)[] = [];
  for (let calls = 0; calls < 3; calls += 1) {
    const { lake, signal } = endedAfter(1);
    await expect(materialize(lake, { partRows: 1, signal })).rejects.toThrow("time is up");
    marks.push(await watermark());
    expect(await at.unreferenced()).toEqual([]);
  }
  expect(marks).toEqual([0, 1, 2]);
  expect(await at.rows()).toHaveLength(4);
  expect(await materialize(at.lake, { partRows: 1 })).toMatchObject({ from: 2, to: 7, rebuilt: false });
  expect(await at.rows()).toEqual(ALL);
});

test("a rebuild in parts is continued, not begun again", async () => {
  await versions();
  await materialize(at.lake);
  const mark = { txn: { appId: "transaction_changes/commit", version: 1 } };
  await at.lake.table("transactions").commit(() => [mark]);
  const { lake, signal } = endedAfter(1);
  await expect(materialize(lake, { partRows: 2, signal })).rejects.toThrow("time is up");
  expect(await watermark()).toBe(1);
  expect(await at.rows()).toEqual(["a/k1 1 2026-05-05", "a/k2 1 2026-05-05"]);
  expect(await materialize(at.lake, { partRows: 2 })).toMatchObject({ from: 1, to: 7, rebuilt: false });
  expect(await at.rows()).toEqual(ALL);
});
