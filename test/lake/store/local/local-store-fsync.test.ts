import { beforeAll, expect, test } from "vitest";
import { runChild } from "../../../helpers/lake/delta-process.js";

/** What each kind of write did, in its order; `temp` is a temp file. */
let told: Readonly<Record<string, readonly string[]>>;
beforeAll(async () => {
  told = JSON.parse(await runChild("test/helpers/store/fsync-child.ts", []));
});

test.each<[string, readonly string[]]>([
  ["putIfAbsent", ["sync a/temp", "name a/1", "sync a"]],
  // The writer that took the name may have been killed before it synced that.
  ["putIfAbsent, taken", ["sync a/temp", "sync a"]],
  ["put, durable", ["sync a/temp", "name a/2", "sync a"]],
  ["putFile", ["sync a/temp", "name a/6", "sync a"]],
  ["persist", ["sync b/6", "sync b"]],
  ["deletePrefix, durable", ["remove b", "sync "]],
])("%s syncs the bytes before their name, and the name before it returns", (write, events) => {
  expect(told[write]).toEqual(events);
});

test("uploadAll syncs each file before its name, and each directory after its last name", () => {
  const events = told.uploadAll ?? [];
  const names = events.filter((event) => event.startsWith("name "));
  expect(names.sort()).toEqual(["name a/3", "name a/4", "name b/5"]);
  expect(events.slice(-2).sort()).toEqual(["sync a", "sync b"]);
  for (const [at, name] of ["name a/3", "name a/4", "name b/5"].entries()) {
    const synced = events.findIndex((event) => event.endsWith(`file-${at}`));
    expect(synced, name).toBeGreaterThanOrEqual(0);
    expect(synced, name).toBeLessThan(events.indexOf(name));
  }
});

test.each([
  ["put", ["name a/2"]],
  ["deletePrefix", ["remove a"]],
])("%s, which nobody asked to be durable, costs no sync", (write, events) => {
  expect(told[write]).toEqual(events);
});
