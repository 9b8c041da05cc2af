import fs from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import type { ObjectStore } from "../../../src/lake/store/object-store.js";

// Prints, for each kind of write of a local store, in which order it synced, named and removed files. It is a process
// of its own because the calls have to be watched before the store's modules import them.

const base = await mkdtemp(join(tmpdir(), "nightledger-fsync-"));
const opened = new Map<number, string>();
let events: string[] = [];

/** A path in the lake; a temp file is `<its directory>/temp`. */
const named = (path: string) => relative(join(base, "lake"), path).replace(/\.tmp-[^/]*$/, "temp");

const { open, openSync, fsync } = fs;
const { link, rename, rmdir } = fs.promises;
fs.openSync = (...args: Parameters<typeof openSync>) => {
  const file = openSync(...args);
  opened.set(file, String(args[0]));
  return file;
};
// Callbacks: the store promisifies these.
type Callback = (error: Error | null, result?: number) => void;
fs.open = ((...args: [path: string, ...rest: unknown[], done: Callback]) => {
  const done = args.pop() as Callback;
  const noted: Callback = (error, file) => {
    if (file !== undefined) opened.set(file, args[0]);
    done(error, file);
  };
  (open as unknown as (...args: unknown[]) => void)(...args, noted);
}) as unknown as typeof open;
fs.fsync = ((file: number, done: Callback) => {
  fsync(file, (error) => {
    events.push(`sync ${named(opened.get(file) ?? "")}`);
    done(error);
  });
}) as unknown as typeof fsync;
fs.promises.link = async (from, to) => {
  await link(from, to);
  events.push(`name ${named(String(to))}`);
};
fs.promises.rename = async (from, to) => {
  await rename(from, to);
  events.push(`name ${named(String(to))}`);
};
fs.promises.rmdir = async (path) => {
  await rmdir(path);
  events.push(`remove ${named(String(path))}`);
};
syncBuiltinESMExports();

const { createLocalStore } = await import("../../../src/lake/store/local/local-store.js");
const store: ObjectStore = createLocalStore(join(base, "lake"));
const told: Record<string, string[]> = {};
async function note(what: string, write: () => Promise<unknown>): Promise<void> {
  events = [];
  await write();
  told[what] = [...events];
}

// Makes the directories, whose own names are another test's.
for (const key of ["a/first", "b/first"]) await store.putIfAbsent(key, "x");
await note("putIfAbsent", () => store.putIfAbsent("a/1", "x"));
await note("putIfAbsent, taken", () => store.putIfAbsent("a/1", "y"));
await note("put", () => store.put("a/2", "x"));
await note("put, durable", () => store.put("a/2", "y", { durable: true }));
const files = ["a/3", "a/4", "b/5"].map((key, n) => ({ key, localPath: join(base, `file-${n}`) }));
for (const { localPath } of files) await writeFile(localPath, "x");
await writeFile(join(base, "whole"), "x");
await note("putFile", () => store.putFile("a/6", join(base, "whole")));
await note("uploadAll", () => store.uploadAll(files));
await store.put("b/6", "x");
await note("persist", () => store.persist(["b/6"]));
await note("deletePrefix", () => store.deletePrefix("a/"));
await note("deletePrefix, durable", () => store.deletePrefix("b/", { durable: true }));
await rm(base, { recursive: true });
process.stdout.write(JSON.stringify(told));
