import { afterEach, expect, test } from "vitest";
import { behavioursOf } from "../../../sandbox/behaviour.js";
import type { SandboxOptions } from "../../../sandbox/index.js";
import { importJob } from "../../../src/jobs/import.js";
import { type BulkWorld, openBulkWorld } from "../../helpers/bulk/bulk-harness.js";
import { BEHAVES, createdRaw } from "../../helpers/sync/sync-harness.js";
import { sharedTemporal } from "../../helpers/temporal/shared-temporal.js";

const CALL = { operation: "import_transactions" } as const;
const CHUNK = { chunk: 10 };

/** Where links in state `error` alone take imports, as they are born, under the caller's own ids of accounts. */
const IS_REAL = BEHAVES.has("readable-errors");
const STATE = IS_REAL ? { state: "error", error_code: "auth_expired" } : {};

let world: BulkWorld;
async function open(sandbox: SandboxOptions = {}): Promise<void> {
  world = await openBulkWorld(sharedTemporal(), importJob, { sandbox, direct: true });
  for (const n of [1, 2]) {
    world.sandbox.addLink({ fp_id: "u", id: `l${n}`, fields: STATE, accounts: [{ id: `a${n}` }] });
  }
}
afterEach(() => world.close());

interface Row {
  readonly link_id: string;
  readonly transaction_id?: string;
}

/** Rows of one link without ids of their own, no two alike. */
const rowsOf = (link: 1 | 2, count: number, from = 0): Row[] =>
  Array.from({ length: count }, (_, at) => ({
    link_id: `l${link}`,
    account_id: `${IS_REAL ? "own_" : ""}a${link}`,
    amount: `${from + at}.50`,
    date: "2026-11-02",
    description: `payment ${from + at}`,
  }));
/** The same, with ids of the customer's own. */
const namedRows = (link: 1 | 2, count: number): Row[] =>
  rowsOf(link, count).map((row, at) => ({ ...row, transaction_id: `own-${at}` }));
const ORIGINAL: SandboxOptions = { behaves: new Set([...BEHAVES, "original-ids"]) };
/** The same rows by the ids that their accounts were imported under. */
const ofOwnAccounts = (rows: readonly Row[]) =>
  rows.map((row) => ({ ...row, account_id: `own_a${row.link_id.slice(1)}` }));
const amountsIn = (link: 1 | 2) =>
  world.sandbox
    .truth(`l${link}`)
    .rows.map(({ values }) => Number(values?.amount))
    .sort((a, b) => a - b);
const amountsOf = (count: number) => Array.from({ length: count }, (_, at) => at + 0.5);
const without = (amounts: readonly number[], places: readonly number[]) =>
  amounts.filter((_, place) => !places.includes(place));
const posts = () => world.sandbox.requests(CALL).length;
const ledger = (columns: string, from = "transaction_imports") =>
  world.rows(`select ${columns}, count(*)::integer as n from ${from} group by all order by all`);

test("each row once: the same file posts nothing, one new row posts one, two identical payments stay two", async () => {
  await open();
  const twice = { ...rowsOf(1, 1)[0], description: "twice" };
  const rows = [...rowsOf(1, 25), ...rowsOf(2, 15), twice as Row, twice as Row];
  expect(await world.run(rows, CHUNK)).toMatchObject({
    status: "completed",
    rows: { total: 42, done: 42, failed: 0, skipped: 0 },
    // The first chunk goes in five parts.
    calls: 9,
  });
  expect([amountsIn(1).length, amountsIn(2)]).toEqual([27, amountsOf(15)]);
  expect(await world.run(rows, CHUNK)).toMatchObject({
    status: "completed",
    rows: { done: 0, skipped: 42 },
    calls: 0,
  });
  const more = [...rowsOf(1, 1, 900), ...rows];
  expect(await world.run(more, CHUNK)).toMatchObject({ rows: { done: 1, skipped: 42 }, calls: 1 });
  expect(await world.run(rows, { chunk: 7 })).toMatchObject({ rows: { skipped: 42 }, calls: 0 });
  expect([posts(), amountsIn(1).length]).toEqual([10, 28]);
  expect(await ledger("status, reason")).toEqual([
    { status: "accepted", reason: null, n: 43 },
    { status: "skipped", reason: "already imported", n: 126 },
  ]);
});

test.each([
  // Only by the contract; a service that behaves otherwise has ids of its own for all rows.
  ...(IS_REAL ? [] : [["under their ids", {}] as const]),
  ["under ids of the service", ORIGINAL] as const,
])(
  "answers that were lost, chunks of which a part was taken, rows that come back %s: each is there once",
  async (_, sandbox) => {
    await open(sandbox);
    world.sandbox.addFault({ ...CALL, kind: "status", status: 504, afterEffect: true, times: 2 });
    world.sandbox.addFault({ ...CALL, kind: "reset", afterEffect: true, after: 2, times: 1 });
    world.sandbox.addFault({ ...CALL, kind: "partial_import", rows: 4, after: 4, times: 2 });
    world.sandbox.addFault({ ...CALL, kind: "status", status: 503, after: 6, times: 2 });
    const rows = [...rowsOf(1, 50), ...rowsOf(2, 30)];
    const result = await world.run(sandbox === ORIGINAL ? ofOwnAccounts(rows) : rows, CHUNK);
    expect(result).toMatchObject({ status: "completed", rows: { done: 80, failed: 0 } });
    expect([amountsIn(1), amountsIn(2)]).toEqual([amountsOf(50), amountsOf(30)]);
    expect(await ledger("status")).toEqual([{ status: "accepted", n: 80 }]);
    await world.sync();
    const seen = "select count(*)::integer as n from imports_seen where seen_in_run is not null";
    expect(await world.rows(seen)).toEqual([{ n: 80 }]);
  },
);

test.each([
  ["under their ids", 0, "contract"] as const,
  ...(IS_REAL ? [] : [["under no id of theirs", 1, "own-ids"] as const]),
])("a first chunk, which the service could not take twice, back %s: once each", async (_, unknown, own) => {
  await open({ behaves: new Set([...BEHAVES, ...behavioursOf(own)]) });
  if (unknown === 0) world.sandbox.addFault({ ...CALL, kind: "status", status: 503, times: 2 });
  world.sandbox.addFault({ ...CALL, kind: "partial_import", rows: 1, status: 422, after: 2, times: 1 });
  expect(await world.run(rowsOf(1, 20))).toMatchObject({ rows: { done: 20 - unknown, failed: unknown } });
  expect(amountsIn(1)).toEqual(amountsOf(20));
  await world.sync();
  expect(await world.run(rowsOf(1, 20))).toMatchObject({ rows: { skipped: 20 }, calls: 0 });
});

test.each([[[0]], [[5, 6, 31]]])(
  "rows at fault %j are found, the others go in, and a later run sends these alone",
  async (bad) => {
    await open({ importDuplicates: "refuse" });
    // The service refuses a request with a row that it has already.
    world.sandbox.append(
      "l1",
      bad.map((at) => createdRaw(`own-${at}`, { account_id: '"a1"', amount: '"1000.50"' })),
    );
    const result = await world.run(namedRows(1, 32), { chunk: 500 });
    expect(result).toMatchObject({
      status: "completed_with_failures",
      rows: { done: 32 - bad.length, failed: bad.length },
      failures: bad.map((at) => ({ line: at + 1, owner: "l1", reason: "refused http_400" })),
    });
    expect(posts()).toBeLessThanOrEqual(1 + bad.length * (Math.log2(32) + 2) - 1);
    const there = without(amountsOf(32), bad);
    expect(amountsIn(1)).toEqual([...there, ...bad.map(() => 1000.5)]);
    expect(await ledger("status")).toEqual([
      { status: "accepted", n: 32 - bad.length },
      { status: "refused", n: bad.length },
    ]);
    const before = posts();
    expect((await world.run(namedRows(1, 32), { chunk: 1 })).rows).toMatchObject({
      done: 0,
      skipped: 32 - bad.length,
      failed: bad.length,
    });
    expect(posts() - before).toBe(bad.length);
  },
);

test("a chunk that is too large for the service goes in by parts", async () => {
  await open({ maxImportRows: 12 });
  expect(await world.run(rowsOf(1, 100), { chunk: 100 })).toMatchObject({ rows: { done: 100 } });
  expect(amountsIn(1)).toEqual(amountsOf(100));
});

test("while one import runs no other one of the lake begins, whatever its file and chunks are", async () => {
  await open();
  const release = world.sandbox.hold(CALL);
  const rows = rowsOf(1, 40);
  const first = await world.begin(rows, CHUNK);
  expect(await world.begin(rows, CHUNK)).toMatchObject({ runId: first.runId, joined: true });
  const inTheWay = new RegExp(
    `run ${first.runId} .*Nothing was started. Finish it first: nightledger import continue`,
  );
  await expect(world.begin(rows, { chunk: 7 })).rejects.toThrow(inTheWay);
  await expect(world.begin(rows.slice(3), CHUNK)).rejects.toThrow(inTheWay);
  release();
  expect(await first.handle.result()).toMatchObject({ rows: { done: 40 } });
  expect(await world.run(rows.slice(3), CHUNK)).toMatchObject({ rows: { skipped: 37 }, calls: 0 });
  expect(amountsIn(1)).toEqual(amountsOf(40));
});

test("a run that was ended from outside is continued by the same file, and blocks others", async () => {
  await open();
  world.sandbox.addFault({ ...CALL, kind: "status", status: 504, afterEffect: true, times: 1 });
  const release = world.sandbox.hold(CALL, "after");
  const first = await world.begin(rowsOf(1, 60), CHUNK);
  await expect.poll(() => amountsIn(1).length).toBeGreaterThan(0);
  await first.handle.terminate();
  release();
  await expect(world.begin(rowsOf(1, 60), { chunk: 3 })).rejects.toThrow(/import continue/);
  expect(await world.run(rowsOf(1, 60), CHUNK)).toMatchObject({ status: "completed", rows: { done: 60 } });
  expect(amountsIn(1)).toEqual(amountsOf(60));
});

test("a later sync says of each row in which run it came back, also where that ran before the ledger was written", async () => {
  await open();
  const release = world.sandbox.hold({ ...CALL, link: "l2" });
  const run = await world.begin([...namedRows(1, 20), ...rowsOf(2, 5)], CHUNK);
  await expect.poll(() => amountsIn(1).length).toBe(20);
  const early = await world.sync();
  release();
  await run.handle.result();
  const late = await world.sync();
  expect(await ledger("link_id, seen_in_run", "imports_seen")).toEqual([
    { link_id: "l1", seen_in_run: early.runId, n: 20 },
    { link_id: "l2", seen_in_run: late.runId, n: 5 },
  ]);
  expect(await world.rows("select count(*)::integer as n from transactions")).toEqual([{ n: 25 }]);
});
