import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { InputError } from "../../../src/domain/failures.js";
import { createLocalStore } from "../../../src/lake/store/local/local-store.js";
import type { ObjectStore } from "../../../src/lake/store/object-store.js";
import { checkKeys, ensureKeyCheck, KEY_CHECK } from "../../../src/temporal/encryption/key-check.js";
import { parseEncryptionKeys } from "../../../src/temporal/encryption/keys.js";
import { eachTest, tempDirectory } from "../../helpers/each-test.js";

const secret = (fill: number) => Buffer.alloc(32, fill).toString("base64");
const keys = parseEncryptionKeys(`k1:${secret(1)}`);
const temp = eachTest(tempDirectory);
let store: ObjectStore;

beforeEach(async () => {
  store = createLocalStore(temp.path);
});

test("the check of a fresh lake takes any key and writes nothing", async () => {
  expect(await checkKeys(store, keys)).toBe(false);
  expect(await readdir(temp.path)).toEqual([]);
});

test("the first use writes a key check that the same keys, and rotated ones, open", async () => {
  await ensureKeyCheck(store, keys);
  const written = await readFile(join(temp.path, KEY_CHECK), "utf8");
  expect(await checkKeys(store, keys)).toBe(true);
  expect(await checkKeys(store, parseEncryptionKeys(`k2:${secret(2)},k1:${secret(1)}`))).toBe(true);
  await ensureKeyCheck(store, keys);
  expect(await readFile(join(temp.path, KEY_CHECK), "utf8")).toBe(written);
});

test.each([
  ["a missing key", `k2:${secret(2)}`, /only "k2" given/],
  ["another key under the same id", `k1:${secret(2)}`, /the key given under this id is another one/],
])("%s is an input error that names the variable and the lake's key", async (_, value, expected) => {
  await ensureKeyCheck(store, keys);
  const other = parseEncryptionKeys(value);
  for (const use of [checkKeys, ensureKeyCheck]) {
    const error = await use(store, other).catch((failure: unknown) => failure);
    expect(error).toBeInstanceOf(InputError);
    expect((error as Error).message).toMatch(/^NIGHTLEDGER_ENCRYPTION_KEYS: .*with the key "k1"/);
    expect((error as Error).message).toMatch(expected);
  }
});

test("of two commands that use a fresh lake with different keys, exactly one continues", async () => {
  const results = await Promise.allSettled([
    ensureKeyCheck(store, keys),
    ensureKeyCheck(store, parseEncryptionKeys(`k2:${secret(2)}`)),
  ]);
  expect(results.map((result) => result.status).sort()).toEqual(["fulfilled", "rejected"]);
});

test("a file that is not a key check is named", async () => {
  await ensureKeyCheck(store, keys);
  await writeFile(join(temp.path, KEY_CHECK), "{}");
  await expect(checkKeys(store, keys)).rejects.toThrow(KEY_CHECK);
});
