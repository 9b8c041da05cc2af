import { cp, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { InputError, StagingLostError } from "../../../src/domain/failures.js";
import { putStream, SealedStore, sealedStream } from "../../../src/lake/store/sealed-store.js";
import { createSealer } from "../../../src/temporal/encryption/cipher.js";
import { eachTest } from "../../helpers/each-test.js";
import { withFaults } from "../../helpers/kill/fault-store.js";
import { openTestLake } from "../../helpers/lake/delta-lake.js";
import { TEST_KEYS } from "../../helpers/temporal/temporal-environment.js";

const lake = eachTest(openTestLake);

const MARK = "PLANTED";

async function* pieces(...sizes: number[]): AsyncGenerator<Uint8Array> {
  for (const [index, size] of sizes.entries()) yield Buffer.alloc(size, index + 1);
}

async function read(key: string): Promise<Buffer> {
  const stream = await sealedStream(lake.sealed, key);
  if (stream === undefined) throw new Error(`no stream ${key}`);
  const parts: Uint8Array[] = [];
  for await (const part of stream.open()) parts.push(part);
  return Buffer.concat(parts);
}

async function filesHold(text: string): Promise<boolean> {
  const names = await readdir(lake.directory, { recursive: true, withFileTypes: true });
  const files = names.filter((name) => name.isFile()).map((name) => join(name.parentPath, name.name));
  const contents = await Promise.all(files.map((file) => readFile(file)));
  return contents.some((content) => content.includes(text));
}

test("values and bytes come back unchanged, and no file holds them in plain text", async () => {
  await lake.sealed.put("a/value", { name: MARK });
  await lake.sealed.put("a/durable", [MARK], { durable: true });
  await lake.sealed.putBytes("a/bytes", Buffer.from(MARK));
  expect(await lake.sealed.get("a/value")).toEqual({ name: MARK });
  expect(await lake.sealed.get("a/durable")).toEqual([MARK]);
  expect(String(await lake.sealed.getBytes("a/bytes"))).toBe(MARK);
  expect(await filesHold(MARK)).toBe(false);
});

test("what is not there is undefined, and an error where it must be", async () => {
  expect(await lake.sealed.get("a/none")).toBeUndefined();
  await expect(lake.sealed.require("a/none")).rejects.toThrow(/a\/none is gone .*start the job again/);
});

test("the first of two puts that may not replace wins", async () => {
  expect(await lake.sealed.putIfAbsent("a/once", 1)).toBe(true);
  expect(await lake.sealed.putIfAbsent("a/once", 2)).toBe(false);
  expect(await lake.sealed.get("a/once")).toBe(1);
});

test("a sealed object that was copied to another key does not open there", async () => {
  await lake.sealed.put("a/one", { name: MARK });
  await cp(join(lake.directory, "a/one"), join(lake.directory, "a/two"));
  await expect(lake.sealed.get("a/two")).rejects.toThrow(InputError);
});

test("a stream comes back whole, whatever its pieces were", async () => {
  const MB = 1024 * 1024;
  for (const sizes of [[], [1], [MB], [MB - 1, 2, 3 * MB + 7], [5, 5, 5]]) {
    const given = Buffer.concat(sizes.map((size, index) => Buffer.alloc(size, index + 1)));
    const facts = await putStream(lake.sealed, "s/1", pieces(...sizes));
    expect(facts.bytes).toBe(given.length);
    expect((await sealedStream(lake.sealed, "s/1"))?.sha256).toBe(facts.sha256);
    expect((await read("s/1")).equals(given), sizes.join()).toBe(true);
  }
});

test("a stream that was cut short is not there, or is the earlier one whole", async () => {
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield Buffer.alloc(2 * 1024 * 1024);
    throw new Error("the disk went away");
  }
  await expect(putStream(lake.sealed, "s/2", broken())).rejects.toThrow("went away");
  expect(await sealedStream(lake.sealed, "s/2")).toBeUndefined();
  await putStream(lake.sealed, "s/2", pieces(3));
  await expect(putStream(lake.sealed, "s/2", broken())).rejects.toThrow("went away");
  expect(await read("s/2")).toEqual(Buffer.alloc(3, 1));
});

test("a stream that lost a piece is not there, and one that loses it while it is read is an error, never shorter", async () => {
  await putStream(lake.sealed, "s/3", pieces(2 * 1024 * 1024));
  const [piece] = (await lake.sealed.list("s/3/")).filter(({ key }) => key.endsWith("-1"));
  const stream = await sealedStream(lake.sealed, "s/3");
  await lake.sealed.delete(piece?.key ?? "");
  expect(await sealedStream(lake.sealed, "s/3")).toBeUndefined();
  const readAll = async () => {
    for await (const _ of stream?.open() ?? []);
  };
  await expect(readAll()).rejects.toBeInstanceOf(StagingLostError);
});

test("a durable put that fails leaves nothing, as any other", async () => {
  const full = withFaults(lake.store, [{ on: "put", key: "a/", when: "before", effect: "full" }]);
  const store = new SealedStore(full, createSealer(TEST_KEYS));
  await expect(store.put("a/x", 1, { durable: true })).rejects.toThrow(/No space left/);
  expect(await store.get("a/x")).toBeUndefined();
});
