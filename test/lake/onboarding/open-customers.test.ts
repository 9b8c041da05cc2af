import { hash } from "node:crypto";
import { beforeEach, expect, test } from "vitest";
import { Random } from "../../../sandbox/world/random.js";
import { mapConcurrent } from "../../../src/domain/concurrent-work.js";
import { type OpenCustomer, openCustomer } from "../../../src/domain/onboarding/customer/open-customer.js";
import { customerKey, type Shard, shardOf } from "../../../src/domain/onboarding/follow/shard.js";
import { identityHash } from "../../../src/domain/onboarding/identity.js";
import { madeBusiness } from "../../../src/lake/onboarding/call-notes.js";
import {
  type ChangedRows,
  OpenCustomers,
  SHARD_NUMBERS,
} from "../../../src/lake/onboarding/open-customers.js";
import { eachTest } from "../../helpers/each-test.js";
import { openTestLake } from "../../helpers/lake/delta-lake.js";
import { FIRST_INPUT } from "../../helpers/onboarding/customer-states.js";

const sha256 = (text: string) => hash("sha256", text);
const lake = eachTest(openTestLake);
let open: OpenCustomers;
beforeEach(async () => {
  open = new OpenCustomers(lake.sealed);
});

const keyOf = (n: number) => customerKey("pb_1", identityHash(sha256, `fp_id:fp_${n}`));
const rowOf = (n: number, line = 1): OpenCustomer =>
  openCustomer({ ...FIRST_INPUT, line, batchWorkflowId: `onboard-batch/${n}` }, 0);

async function write(version: number, rows: ChangedRows, by = open): Promise<void> {
  await by.write({ version, id: "id" }, await by.at(version), rows);
}

/** All that is open, as somebody reads it who has read nothing before. */
function everything(by = new OpenCustomers(lake.sealed)): Promise<Shard> {
  return by.read(async (rows) =>
    Object.assign({}, ...(await mapConcurrent(16, SHARD_NUMBERS, (n) => by.shard(rows, n)))),
  );
}

test("rows that come, change and go are what was written, over many versions, in few objects", async () => {
  const random = new Random("open customers");
  const model: Record<string, OpenCustomer> = {};
  for (let version = 1; version <= 80; version += 1) {
    const rows: Record<string, OpenCustomer | null> = {};
    for (let n = 0; n < 8; n += 1) {
      const who = Math.floor(random.next() * 60);
      rows[keyOf(who)] = random.next() < 0.4 ? null : rowOf(who, version);
    }
    await write(version, rows);
    for (const [key, row] of Object.entries(rows)) {
      if (row === null) delete model[key];
      else model[key] = row;
    }
    if (version % 10 === 0) expect(await everything()).toEqual(model);
  }
  expect((await lake.sealed.list("_staging/follow/versions/")).length).toBeLessThanOrEqual(66);
  expect((await lake.sealed.list("_staging/follow/shards/")).length).toBeLessThanOrEqual(120);
});

test("many rows at once go into the shards at once, and no version carries them along", async () => {
  const rows = Object.fromEntries(Array.from({ length: 2_000 }, (_, n) => [keyOf(n), rowOf(n)]));
  await write(1, rows);
  expect((await open.at()).changes).toEqual([]);
  expect(Object.keys(await everything())).toHaveLength(2_000);
});

test("a version is written once: a repetition, and a worker that was thought dead, change nothing", async () => {
  await write(1, { [keyOf(1)]: rowOf(1) });
  await write(2, { [keyOf(2)]: rowOf(2) });
  await write(2, { [keyOf(1)]: null }, new OpenCustomers(lake.sealed));
  await write(1, { [keyOf(1)]: null }, new OpenCustomers(lake.sealed));
  expect(Object.keys(await everything()).sort()).toEqual([keyOf(1), keyOf(2)].sort());
});

test("a worker that comes back long after brings no old rows back, and takes nothing from later versions", async () => {
  await write(1, { [keyOf(1)]: rowOf(1), [keyOf(2)]: rowOf(2) });
  const late = new OpenCustomers(lake.sealed);
  const before = await late.at(2);
  for (let version = 2; version <= 80; version += 1)
    await write(version, { [keyOf(1)]: version < 5 ? rowOf(1) : null });
  await late.write({ version: 2, id: "id" }, before, { [keyOf(1)]: rowOf(1) });
  // It finds nothing of what it began from.
  await late.write({ version: 3, id: "id" }, await late.at(3), { [keyOf(1)]: rowOf(1) });
  expect(Object.keys(await everything())).toEqual([keyOf(2)]);
  expect(Object.keys(await everything(late))).toEqual([keyOf(2)]);
});

test("a worker that was too late does not believe what it would have written", async () => {
  await write(1, { [keyOf(1)]: rowOf(1) });
  const late = new OpenCustomers(lake.sealed);
  const before = await late.at(2);
  await write(2, { [keyOf(1)]: null });
  await late.write({ version: 2, id: "id" }, before, { [keyOf(1)]: rowOf(1, 2) });
  expect(await everything(late)).toEqual({});
});

test("a version that is there for another reason, or behind a later one, is taken", async () => {
  expect(await open.takenBy(1, "id")).toBeUndefined();
  await write(1, { [keyOf(1)]: rowOf(1) });
  expect(await open.takenBy(1, "id")).toBeUndefined();
  expect(await open.takenBy(1, "other")).toBe(1);
  await write(5, { [keyOf(2)]: rowOf(2) });
  expect(await open.takenBy(1, "id")).toBe(5);
  expect(await open.takenBy(6, "id")).toBeUndefined();
});

test("a repetition begins where the first attempt began, after a fold too", async () => {
  for (let version = 1; version <= 31; version += 1)
    await write(version, { [keyOf(version)]: rowOf(version) });
  const before = await open.at(32);
  await write(32, { [keyOf(32)]: rowOf(32) });
  const again = new OpenCustomers(lake.sealed);
  expect(await again.at(32)).toEqual(before);
  const number = shardOf(keyOf(3));
  expect(await again.shard(before, number)).toHaveProperty([keyOf(3)]);
  await again.write({ version: 32, id: "id" }, before, { [keyOf(32)]: rowOf(32) });
  expect(Object.keys(await everything())).toHaveLength(32);
});

test("somebody who reads while rows are written always reads a whole version", async () => {
  await write(1, { [keyOf(1)]: rowOf(1, 1), [keyOf(2)]: rowOf(2, 1) });
  let isWriting = true;
  const writing = (async () => {
    for (let version = 2; version <= 70; version += 1) {
      await write(version, { [keyOf(1)]: rowOf(1, version), [keyOf(2)]: rowOf(2, version) });
    }
    isWriting = false;
  })();
  const reader = new OpenCustomers(lake.sealed);
  const lines = () =>
    reader.read(async (rows) =>
      Promise.all(
        [1, 2].map(async (n) => (await reader.shard(rows, shardOf(keyOf(n))))[keyOf(n)]?.input.line),
      ),
    );
  let reads = 0;
  for (; isWriting; reads += 1) {
    const [one, two] = await lines();
    expect(one).toBeGreaterThan(0);
    expect(two).toBe(one);
  }
  await writing;
  expect(reads).toBeGreaterThan(3);
});

test("a message finds the rows that wait for it by either id, and by the business that a row was made into", async () => {
  const keys = {
    fp: keyOf(1),
    external: customerKey("pb_1", identityHash(sha256, "external_id:c-1")),
    made: customerKey("pb_1", "ab000000000000000000000000000000"),
  };
  await write(1, { [keys.fp]: rowOf(1), [keys.external]: rowOf(2), [keys.made]: rowOf(3) });
  await madeBusiness(lake.sealed, "fp_bid_9").put("ab000000000000000000000000000000");
  const found = (fpId: string | null, externalId: string | null, playbookKey: string | null = "pb_1:v4") =>
    open.keysOf({ fpId, externalId, playbookKey });
  expect(await found("fp_1", "c-1")).toEqual([keys.fp, keys.external]);
  expect(await found("fp_1", null)).toEqual([keys.fp]);
  expect(await found(null, "c-1")).toEqual([keys.external]);
  expect(await found("fp_bid_9", null)).toEqual([keys.made]);
  expect(await found("fp_unknown", null)).toEqual([]);
  expect(await found("", "")).toEqual([]);
  expect(await found("fp_1", null, "pb_2")).toEqual([]);
  expect(await found("fp_1", null, null)).toEqual([]);
});

test.each([
  ["the newest version", /versions\/34$/],
  ["an earlier version", /versions\/33$/],
  ["a shard", /shards\/\d+-32$/],
])("%s that is damaged is named, and once it is taken for lost holds up no other rows", async (_, object) => {
  for (let version = 1; version <= 34; version += 1)
    await write(version, { [keyOf(version)]: rowOf(version) });
  const all = await lake.sealed.list("_staging/follow/");
  const key = all.map((entry) => entry.key).find((one) => object.test(one)) ?? "";
  await lake.store.put(key, "torn");
  await expect(everything()).rejects.toThrow(`${key} in the lake: what should be encrypted is not`);
  const lost = new Set<string>();
  const mending = new OpenCustomers(lake.sealed, lost);
  const left = await everything(mending);
  expect([...lost]).toEqual([key]);
  expect(Object.keys(left).length).toBe(33);
  await write(35, {}, mending);
  expect(await everything()).toEqual(left);
});
