import { mkdir, mkdtemp, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { bucketPacks } from "../../../../src/lake/bulk/pack/bucket-packs.js";
import { PROOF, sumLines, textSha256 } from "../../../../src/lake/bulk/pack/manifest.js";
import { createLocalStore } from "../../../../src/lake/store/local/local-store.js";
import type { ObjectStore } from "../../../../src/lake/store/object-store.js";
import { eachTest, tempDirectory } from "../../../helpers/each-test.js";
import { type StoreFault, withFaults } from "../../../helpers/kill/fault-store.js";

const ID = "cip-20261120T010203Z-aaaaaa";
const PATHS = ["manifest.json", "outcomes.csv", "report/people-001.html", "same.csv"];

const temp = eachTest(tempDirectory);
let store: ObjectStore;
beforeEach(async () => {
  store = createLocalStore(join(temp.path, "lake"));
});

const packsIn = (one = store) => bucketPacks(one, "_exports/cip/");

/** What an attempt has written: files of its own, of which one is the same in all attempts. */
async function attempt(name: string, more: readonly string[] = []): Promise<string> {
  const directory = join(temp.path, name);
  const files = [...PATHS, ...more].map((path) => {
    const body = path === "same.csv" ? "same" : `${path} of ${name}`;
    return { path, body, sha256: textSha256(body) };
  });
  await mkdir(join(directory, "report"), { recursive: true });
  for (const { path, body } of files) await writeFile(join(directory, path), body);
  await writeFile(join(directory, PROOF.sums), sumLines(files));
  return directory;
}

async function scratch(): Promise<string> {
  return mkdtemp(join(temp.path, "scratch-"));
}

/** The names of attempts whose bytes the pack has. */
async function whose(): Promise<string[]> {
  const directory = await packsIn().read(ID, await scratch());
  const listed = (await readdir(directory, { recursive: true })).filter((path) => path !== "report");
  expect(listed.filter((path) => !/extra/.test(path)).sort()).toEqual([PROOF.sums, ...PATHS].sort());
  const texts = await Promise.all(listed.map((path) => readFile(join(directory, path), "utf8")));
  for (const line of (await readFile(join(directory, PROOF.sums), "utf8")).trim().split("\n")) {
    const [sha256 = "", path = ""] = line.split("  ");
    expect(textSha256(await readFile(join(directory, path)))).toBe(sha256);
  }
  return [...new Set(texts.flatMap((text) => / of (\w+)$/.exec(text)?.[1] ?? []))];
}

/** An attempt that ended so, and whether it had decided what the pack is. */
const ENDS: readonly [string, Omit<StoreFault, "effect">, boolean][] = [
  ["before it staged anything", { on: "put", key: "_staging/", when: "before", nth: 1 }, false],
  ["with a part staged", { on: "put", key: "_staging/", when: "after", nth: 3 }, false],
  ["before it decided", { on: "putIfAbsent", key: "SHA256SUMS$", when: "before" }, false],
  ["after it decided", { on: "putIfAbsent", key: "SHA256SUMS$", when: "after" }, true],
  ["with a part in place", { on: "put", key: "_exports/.*(csv|html)$", when: "after", nth: 2 }, true],
  ["before the manifest", { on: "put", key: "_exports/.*manifest", when: "before" }, true],
];

test.each(ENDS)("an attempt that ends %s: the next one has a whole pack", async (_, fault, decided) => {
  const lost = packsIn(withFaults(store, [{ ...fault, effect: "lost" }]));
  await expect(lost.publish(ID, await attempt("first"))).rejects.toThrow("was lost");
  expect(await packsIn().isThere(ID)).toBe(false);
  const resumed = await packsIn().resume(ID, await scratch());
  expect(resumed).toBe(decided);
  if (!resumed) await packsIn().publish(ID, await attempt("second"));
  expect(await whose()).toEqual([decided ? "first" : "second"]);
});

test("an answer that was lost after the manifest leaves a whole pack", async () => {
  const fault = { on: "put", key: "_exports/.*manifest", when: "after", effect: "lost" } as const;
  await expect(packsIn(withFaults(store, [fault])).publish(ID, await attempt("first"))).rejects.toThrow();
  expect(await packsIn().isThere(ID)).toBe(true);
  expect(await whose()).toEqual(["first"]);
});

test("of attempts at once exactly one counts, and one that comes late changes nothing", async () => {
  const names = ["one", "two", "three", "four"];
  const written = await Promise.all(names.map((name) => attempt(name, [`extra-${name}.csv`])));
  await Promise.all(written.map((directory) => packsIn().publish(ID, directory)));
  const [winner = "", ...others] = await whose();
  expect([names.includes(winner), others]).toEqual([true, []]);
  // The run has ended, and with it its staging, while an attempt that Temporal gave up on goes on.
  await store.deletePrefix(`_staging/${ID}/`);
  await packsIn().publish(ID, await attempt("late", ["extra-late.csv"]));
  expect(await whose()).toEqual([winner]);
});

test("a pack that was decided and whose bytes are gone is not made up of others", async () => {
  const fault = { on: "put", key: "_exports/", when: "before", effect: "lost", nth: 0 } as const;
  const lost = packsIn(withFaults(store, [fault]));
  await expect(lost.publish(ID, await attempt("first"))).rejects.toThrow("was lost");
  await store.deletePrefix(`_staging/${ID}/`);
  await expect(packsIn().publish(ID, await attempt("second"))).rejects.toMatchObject({
    name: "StagingLostError",
    message: expect.stringMatching(/_exports\/cip\/cip-.* is gone from the lake's staging area/),
  });
  expect(await packsIn().isThere(ID)).toBe(false);
});

test("what is read is what is there, some of it or all, and an id without anything is no pack", async () => {
  await expect(packsIn().read(ID, await scratch())).rejects.toThrow(
    /^there is no pack .*_exports\/cip\/cip-/,
  );
  await packsIn().publish(ID, await attempt("first"));
  expect(await packsIn().names()).toEqual([ID]);
  const some = await packsIn().read(ID, await scratch(), ["outcomes.csv", "none.csv"]);
  expect(await readdir(some)).toEqual(["outcomes.csv"]);
});
