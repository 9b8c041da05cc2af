import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { keyMode } from "../../src/domain/service/key-mode.js";
import {
  checkBinding,
  ensureBinding,
  expectBinding,
  readBinding,
  rebind,
  type ServiceAddress,
  type ServiceBinding,
  sameLake,
} from "../../src/lake/service-binding.js";
import { createLocalStore } from "../../src/lake/store/local/local-store.js";
import type { ObjectStore } from "../../src/lake/store/object-store.js";
import { eachTest, tempDirectory } from "../helpers/each-test.js";

const LIVE = { url: "https://api.example.com", mode: "live" } as const;
const TEST = { url: "https://api.example.com", mode: "test" } as const;
const ELSEWHERE = { url: "https://eu.example.com", mode: "live" } as const;

const temp = eachTest(tempDirectory);
let store: ObjectStore;
beforeEach(async () => {
  store = createLocalStore(join(temp.path, "lake"));
});

/** A command's use of the lake: what it expects before it starts, and what it then makes sure of. */
async function bind(asked: ServiceAddress): Promise<ServiceBinding> {
  const bound = await ensureBinding(store, await expectBinding(store, asked));
  expect(await readBinding(store)).toEqual(bound);
  return bound;
}

test.for([
  ["sk_test_abc", "test"],
  ["sk_live_abc", "live"],
  ["live-9f", "live"],
  ["TEST.key", "test"],
  ["sk_latest_abc", null],
  ["sk_9f2b", null],
] as const)("the key %s is of the form %s", ([key, mode]) => {
  expect(keyMode(key)).toBe(mode);
});

test("the first use binds a lake, and the same service finds it bound", async () => {
  expect(await readBinding(store)).toBeUndefined();
  const bound = await bind(LIVE);
  expect(bound).toEqual({
    ...LIVE,
    id: expect.stringMatching(/^[0-9a-f]{16}$/),
    lake: expect.stringMatching(/^[0-9a-f-]{36}$/),
  });
  expect(await readFile(join(temp.path, "lake", "README.txt"), "utf8")).toMatch(/Do not read \*\.parquet/);
  expect(await bind(LIVE)).toEqual(bound);
  expect(await checkBinding(store, { ...LIVE, mode: null })).toEqual(bound);
});

test("of two that bind at once both get the same binding, or one is refused", async () => {
  const [one, other] = await Promise.all([bind(LIVE), bind(LIVE)]);
  expect(one).toEqual(other);
});

test("another address is refused with both, and another mode of the key too", async () => {
  await bind(TEST);
  await expect(checkBinding(store, ELSEWHERE)).rejects.toThrow(/api\.example\.com.*eu\.example\.com.*rebind/);
  await expect(checkBinding(store, LIVE)).rejects.toThrow(/holds test data.*live key/);
});

test("a lake that went, or that another one replaced, is not the one that was there first", async () => {
  const check = sameLake(store);
  await check();
  await bind(LIVE);
  await check();
  const path = join(temp.path, "lake");
  await rename(path, `${path}.away`);
  await expect(check()).rejects.toThrow(/has no _nightledger.*--new-lake/);
  await bind(LIVE);
  await expect(check()).rejects.toThrow(/another lake is in its place/);
  await rm(path, { recursive: true });
  await rename(`${path}.away`, path);
  await check();
});

test("a service that moved keeps its id; a lake never changes from test to live", async () => {
  const { id, lake } = await bind(TEST);
  expect(await rebind(store, { ...ELSEWHERE, mode: "test" })).toEqual({
    ...ELSEWHERE,
    mode: "test",
    id,
    lake,
  });
  expect(await checkBinding(store, { ...ELSEWHERE, mode: null })).toMatchObject({ id });
  await expect(rebind(store, LIVE)).rejects.toThrow(/never changes its mode/);
});

test("a torn binding is named, and nothing is written over it", async () => {
  await bind(LIVE);
  const path = join(temp.path, "lake", "_nightledger", "service.json");
  await writeFile(path, (await readFile(path, "utf8")).slice(0, 20));
  await expect(bind(LIVE)).rejects.toThrow(/does not say which service/);
  expect((await readFile(path, "utf8")).length).toBe(20);
});

test("other lakes, services and modes have other ids", async () => {
  const other = createLocalStore(join(temp.path, "other"));
  const all = [
    await expectBinding(store, LIVE),
    await expectBinding(store, TEST),
    await expectBinding(store, ELSEWHERE),
    await expectBinding(other, LIVE),
  ];
  expect(new Set(all.map(({ id }) => id)).size).toBe(4);
});

test("a command that expected another id than the lake got meanwhile starts nothing", async () => {
  const expected = await expectBinding(store, { ...LIVE, mode: null });
  await bind(LIVE);
  await expect(ensureBinding(store, expected)).rejects.toThrow(/run the command again/);
});
