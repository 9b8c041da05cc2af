import { randomUUID } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { mapConcurrent } from "../../../src/domain/concurrent-work.js";
import type { ObjectStore } from "../../../src/lake/store/object-store.js";

/** A store with nothing in it, and another handle of the same place, as another process has. */
interface OpenedStore {
  readonly store: ObjectStore;
  readonly other: ObjectStore;
  release(): Promise<void>;
}

/** What every object store promises (`src/lake/store/object-store.ts`). */
export function conformance(open: (directory: string) => Promise<OpenedStore>): void {
  let directory: string;
  let opened: OpenedStore;
  let store: ObjectStore;
  let other: ObjectStore;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), "nightledger-store-"));
    opened = await open(directory);
    ({ store, other } = opened);
  });
  afterEach(async () => {
    await opened?.release();
    await rm(directory, { recursive: true, force: true });
  });

  async function fileOf(body: string | Uint8Array): Promise<string> {
    const path = join(directory, randomUUID());
    await writeFile(path, body);
    return path;
  }
  const keysOf = async (prefix: string, after?: string) =>
    (await other.list(prefix, after)).map(({ key }) => key);

  test("an empty store has nothing, and looking makes nothing", async () => {
    expect(await store.isThere()).toBe(false);
    expect(await store.get("a/b")).toBeUndefined();
    expect(await store.readRange("a/b", 0, 3)).toBeUndefined();
    expect(await store.stat("a/b")).toBeUndefined();
    expect(await store.list("a/")).toEqual([]);
    expect(await store.folders("a/")).toEqual([]);
    await expect(store.checkWritable("NIGHTLEDGER_LAKE")).resolves.toBeUndefined();
    await store.checkRequests();
    expect(await keysOf("")).toEqual([]);
  });

  test("put replaces, putIfAbsent never does", async () => {
    await store.put("a/key", "one");
    await store.put("a/key", "two");
    expect(await other.putIfAbsent("a/key", "three")).toBe(false);
    expect(String(await other.get("a/key"))).toBe("two");
    expect(await other.putIfAbsent("b/new/key", "first")).toBe(true);
    expect(String(await store.get("b/new/key"))).toBe("first");
    expect(await store.isThere()).toBe(true);
  });

  test("of many writers of one key exactly one wins, and its content stays", async () => {
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, writer) =>
        (writer % 2 ? store : other).putIfAbsent("log/1", String(writer)),
      ),
    );
    expect(answers.filter(Boolean)).toHaveLength(1);
    expect(String(await store.get("log/1"))).toBe(String(answers.indexOf(true)));
    expect(await keysOf("log/")).toEqual(["log/1"]);
  });

  test("a key that was deleted is free again", async () => {
    expect(await store.putIfAbsent("log/1", "one")).toBe(true);
    await other.delete("log/1");
    expect(await store.putIfAbsent("log/1", "two")).toBe(true);
    expect(String(await other.get("log/1"))).toBe("two");
  });

  test.each([0, 1, 256 * 1024 + 1, 17 * 1024 * 1024])("an object of %i bytes is read whole", async (size) => {
    const body = Buffer.alloc(size, "night");
    await store.put("a/key", body, { durable: true });
    expect((await other.get("a/key"))?.equals(body)).toBe(true);
    expect(await other.stat("a/key")).toMatchObject({ key: "a/key", size });
    const uploaded = `t/${randomUUID()}.parquet`;
    await store.uploadAll([{ localPath: await fileOf(body), key: uploaded }]);
    for (const reader of [store, other]) {
      expect((await readFile(await reader.download(uploaded))).equals(body)).toBe(true);
    }
  });

  test.each([0, 33 * 1024 * 1024])("a file of %i bytes is put and got whole, and stays", async (size) => {
    const path = await fileOf(Buffer.alloc(size, "night"));
    const got = join(directory, "got");
    expect(await other.getFile("p/a.csv", got)).toBe(false);
    await store.put("p/a.csv", "replaced");
    await store.putFile("p/a.csv", path);
    expect(await other.getFile("p/a.csv", got)).toBe(true);
    expect((await readFile(got)).equals(await readFile(path))).toBe(true);
    expect(await keysOf("")).toEqual(["p/a.csv"]);
  });

  test("sizes are those of the objects that are there, however many begin alike", async () => {
    const names = Array.from({ length: 1_010 }, (_, n) => `many/run-${String(n).padStart(4, "0")}`);
    await mapConcurrent(32, names, (name) => store.put(name, "four"));
    await store.put("many/run-1009", "longer");
    const sizes = async (keys: string[]) => (await other.stats(keys)).map((entry) => entry?.size);
    expect(await sizes(["many/run-1009", "many/run-0003", "many/run-2000"])).toEqual([6, 4, undefined]);
    expect(await sizes(["many/run-0003", "many/other", "u"])).toEqual([4, undefined, undefined]);
    expect(await sizes(["many/run-0004"])).toEqual([4]);
    expect(await sizes([])).toEqual([]);
  });

  test("a range of an object ends where the object does", async () => {
    const key = `t/${randomUUID()}`;
    await store.put(key, "0123456789");
    expect(String(await other.readRange(key, 2, 3))).toBe("234");
    expect(String(await other.readRange(key, 8, 5))).toBe("89");
    expect(String(await other.readRange(key, 20, 5))).toBe("");
  });

  test("a listing is in key order and starts after a key; folders are the next names", async () => {
    for (const key of ["t/b", "t/a/2", "t/a/1", "t/c", "t/d/e/1", "u/x"]) await store.put(key, key);
    expect(await keysOf("t/")).toEqual(["t/a/1", "t/a/2", "t/b", "t/c", "t/d/e/1"]);
    expect(await keysOf("t/", "t/a/1")).toEqual(["t/a/2", "t/b", "t/c", "t/d/e/1"]);
    expect(await keysOf("t/", "t/d/e/1")).toEqual([]);
    expect(await keysOf("")).toHaveLength(6);
    expect((await other.list("u/"))[0]).toMatchObject({ key: "u/x", size: 3, modifiedAt: expect.any(Date) });
    expect(await other.folders("t/")).toEqual(["a", "d"]);
    expect(await other.folders("")).toEqual(["t", "u"]);
  });

  test("more objects than a page of a listing holds are all listed, and all deleted", async () => {
    const names = Array.from({ length: 1_050 }, (_, n) => `many/${String(n).padStart(4, "0")}`);
    await mapConcurrent(32, names, (name) => store.put(name, name));
    expect(await keysOf("many/")).toEqual(names);
    expect(await keysOf("many/", names[1_000])).toEqual(names.slice(1_001));
    await store.deletePrefix("many/", { durable: true });
    expect(await keysOf("many/")).toEqual([]);
  });

  test("of objects that are put if absent, those that are there stay as they are", async () => {
    await store.putIfAbsent("q/log/0", "first");
    await mapConcurrent(3, ["p", "q", "r"], (name) => other.putIfAbsent(`${name}/log/0`, `of ${name}`));
    expect(await keysOf("")).toEqual(["p/log/0", "q/log/0", "r/log/0"]);
    expect(String(await store.get("q/log/0"))).toBe("first");
    expect(String(await store.get("r/log/0"))).toBe("of r");
  });

  test("delete and deletePrefix take away what is there and are content with what is not", async () => {
    for (const key of ["s/1", "s/d/2", "keep/3"]) await store.put(key, "");
    await store.delete("s/1");
    await other.delete("s/1");
    await store.deletePrefix("s/");
    await other.deletePrefix("s/");
    await store.deletePrefix("s/e/", { durable: true });
    expect(await keysOf("")).toEqual(["keep/3"]);
  });

  test("of the folders below a prefix some can be deleted, and no other whose name begins like theirs", async () => {
    for (const key of ["s/1/a", "s/1/b/c", "s/10/d", "s/2/e", "s/3/f"]) await store.put(key, "x");
    await store.deletePrefix("s/", { folders: ["1", "3", "4"] });
    expect(await keysOf("")).toEqual(["s/10/d", "s/2/e"]);
    await store.deletePrefix("s/", { folders: [] });
    expect(await keysOf("")).toEqual(["s/10/d", "s/2/e"]);
  });

  test("an object that is gone is gone for who has read it", async () => {
    const key = `t/${randomUUID()}.parquet`;
    await store.uploadAll([{ localPath: await fileOf("rows"), key }]);
    await store.download(key);
    await store.delete(key);
    await expect(store.download(key)).rejects.toMatchObject({
      name: "InputError",
      message: expect.stringMatching(/is missing, though a table refers to it/),
    });
    expect(await store.readRange(key, 0, 4)).toBeUndefined();
  });

  test("uploadAll publishes files under new keys, never over others, and all or none", async () => {
    const files = await Promise.all(
      Array.from({ length: 9 }, async (_, n) => ({
        localPath: await fileOf(`body ${n}`),
        key: `t/${n}.parquet`,
      })),
    );
    await other.put("t/6.parquet", "first");
    await expect(store.uploadAll(files)).rejects.toThrow("t/6.parquet is there already");
    expect(await keysOf("t/")).toEqual(["t/6.parquet"]);
    expect(String(await store.get("t/6.parquet"))).toBe("first");
    await other.delete("t/6.parquet");
    await store.uploadAll(files);
    for (const [n, { key }] of files.entries()) expect(String(await other.get(key))).toBe(`body ${n}`);
    await store.uploadAll([]);
  });

  test("an object that replaced another of its name is the one that is downloaded", async () => {
    await store.uploadAll([{ localPath: await fileOf("one"), key: "t/_log/1.parquet" }]);
    expect(await readFile(await other.download("t/_log/1.parquet"), "utf8")).toBe("one");
    await store.delete("t/_log/1.parquet");
    await store.uploadAll([{ localPath: await fileOf("two"), key: "t/_log/1.parquet" }]);
    expect(await readFile(await other.download("t/_log/1.parquet"), "utf8")).toBe("two");
  });

  test("what grows is read here at once, and elsewhere once it is durable or closed", async () => {
    const object = await store.grow("j/1");
    expect(object.append([Buffer.from("one"), Buffer.from("two")])).toBe(0);
    expect(object.append([Buffer.from("three")])).toBe(6);
    expect(String(await store.readRange("j/1", 3, 8))).toBe("twothree");
    expect(String(await store.get("j/1"))).toBe("onetwothree");
    await store.persist(["j/1"]);
    expect(String(await other.get("j/1"))).toBe("onetwothree");
    expect(object.append([Buffer.from("four")])).toBe(11);
    await object.close();
    expect(String(await other.get("j/1"))).toBe("onetwothreefour");
    expect(String(await other.readRange("j/1", 6, 9))).toBe("threefour");
    await store.persist(["j/1"]);
  });

  test.each(["../x", "/etc/x", "a/../../x", "a//b", "", ".", "a/.tmp-1-x", "a\\b", "a\0b"])(
    "the key %j is refused because it could leave the store",
    async (key) => {
      await expect(store.put(key, "x")).rejects.toMatchObject({ name: "InputError" });
      await expect(store.get(key)).rejects.toMatchObject({ name: "InputError" });
      await expect(store.uploadAll([{ localPath: "/nowhere", key }])).rejects.toThrow();
    },
  );
}
