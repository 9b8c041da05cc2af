import { Readable } from "node:stream";
import { beforeEach, expect, test } from "vitest";
import { CallRecord } from "../../src/activities/calls/call-record.js";
import type { Place } from "../../src/domain/sync/place.js";
import { Staging } from "../../src/lake/staging.js";
import { putStream, SealedStore, sealedStream } from "../../src/lake/store/sealed-store.js";
import { freezeRoster, frozenGroup, GROUP_SIZE } from "../../src/lake/sync/frozen-roster.js";
import {
  addCleaned,
  Journal,
  readBadRows,
  readRecord,
  readValue,
} from "../../src/lake/sync/journal/journal.js";
import { createSealer } from "../../src/temporal/encryption/cipher.js";
import { eachTest } from "../helpers/each-test.js";
import { type ForgetfulStore, forgetful } from "../helpers/kill/forgetful-store.js";
import { openTestLake, type TestLake } from "../helpers/lake/delta-lake.js";
import { TEST_KEYS } from "../helpers/temporal/temporal-environment.js";

const lake = eachTest(openTestLake);
let before: ForgetfulStore;
beforeEach(async () => {
  before = forgetful(lake.store);
});

const sealedIn = (store: TestLake["store"]) => new SealedStore(store, createSealer(TEST_KEYS));

test("a frozen roster, a document, and a persisted journal with the bad rows of its pages are there after a power cut", async () => {
  const rows = Array.from({ length: GROUP_SIZE * 3 }, (_, n) => ({
    fp_id: `u${String(n).padStart(4, "0")}`,
  }));
  const staging = new Staging(before);
  const page = { stream: "accounts", owner: "a", attempt: 0, page: 0, after: "" };
  const bad = [{ list: "created", index: 0, reason: "blank", payload: "{}" }];
  await freezeRoster(before, "run", rows);
  await staging.putDocument("run", "load-1", { files: [1] });
  const journal = new Journal(before, "run", "0");
  const cleaned = await addCleaned(journal, { clean: "{}", bad });
  const place = await journal.add({ kind: "page", page, cleaned }, Buffer.from("[]"));
  await journal.persist();
  await before.powerCut();
  const after = new Staging(lake.store);
  expect(await frozenGroup(lake.store, "run", 2)).toEqual(rows.slice(GROUP_SIZE * 2));
  expect(await after.document("run", "load-1")).toEqual({ files: [1] });
  expect((await readRecord(lake.store, "run", place))?.header).toMatchObject({ page, cleaned });
  expect((await readRecord(lake.store, "run", cleaned.clean))?.body.toString()).toBe("{}");
  expect(await readBadRows(lake.store, "run", cleaned.bad)).toEqual(bad);
});

test("of journals that were not persisted a power cut leaves nothing that is taken for whole", async () => {
  const places: Place[] = [];
  for (const _ of ["gone", "cut"]) {
    const journal = new Journal(before, "run", "0");
    for (const body of ["first", "second"]) places.push(await journal.addValue("link", body));
  }
  await before.powerCut();
  const found = await Promise.all(places.map((place) => readRecord(lake.store, "run", place)));
  // Half of the second one is left, which is less than two records.
  expect(found.map((record) => record?.body.toString())).toEqual([
    undefined,
    undefined,
    '"first"',
    undefined,
  ]);
  expect(await readBadRows(lake.store, "run", places[3] as Place)).toBeUndefined();
  await expect(readValue(lake.store, "run", places[3] as Place)).rejects.toThrow(/torn/);
});

test("a file and the answer of a call are there after a power cut, of a read too", async () => {
  const sealed = sealedIn(before);
  const bytes = Buffer.alloc(3_000_000, 7);
  await putStream(sealed, "_staging/run/document", Readable.from([bytes]));
  await (await CallRecord.open(sealed, "_staging/run/calls/one/", "get_user")).putAnswer({ id: 1 });
  await before.powerCut();
  const after = sealedIn(lake.store);
  const read: Uint8Array[] = [];
  const stream = await sealedStream(after, "_staging/run/document");
  for await (const piece of stream?.open() ?? []) read.push(piece);
  expect(Buffer.concat(read).equals(bytes)).toBe(true);
  const record = await CallRecord.open(after, "_staging/run/calls/one/", "get_user");
  expect(await record.answer()).toMatchObject({ body: { id: 1 } });
});

test("the power cut of these tests takes what was not synced, and brings back what was deleted", async () => {
  await lake.store.put("kept", "old");
  await lake.store.put("deleted", "old");
  for (const key of ["a", "b", "kept"]) await before.put(key, "new");
  await before.delete("deleted");
  await before.powerCut();
  const text = async (key: string) => (await lake.store.get(key))?.toString();
  expect([await text("a"), await text("b"), await text("kept"), await text("deleted")]).toEqual([
    undefined,
    "",
    "old",
    "old",
  ]);
  await expect(before.get("kept")).rejects.toThrow("the power is off");
});
