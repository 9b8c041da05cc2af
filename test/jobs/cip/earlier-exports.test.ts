import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { previousPack } from "../../../src/jobs/cip/earlier-exports.js";
import { directoryPacks } from "../../../src/lake/bulk/pack/pack-place.js";

const FIRST = "cip-20261120T010203Z-aaaaaa";
const SECOND = "cip-20261121T010203Z-bbbbbb";
const NEXT = "cip-20261122T010203Z-cccccc";

let base: string;
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), "nightledger-exports-"));
});
afterEach(() => rm(base, { recursive: true, force: true }));

const previous = (directory: string, runId: string, named: string | null) =>
  previousPack(directoryPacks(directory), runId, named, "no scratch");

test("the newest export before one; what else lies beside it is none", async () => {
  expect(await previous(join(base, "none"), NEXT, null)).toBeNull();
  for (const name of [FIRST, SECOND, "cip-2026", `${SECOND}.zip`, `.${SECOND}.x`, "old"]) {
    await mkdir(join(base, name));
  }
  expect(await previous(base, NEXT, null)).toBe(join(base, SECOND));
  expect(await previous(base, SECOND, null)).toBe(join(base, FIRST));
});

test("the export that was named, by its id or directory", async () => {
  await mkdir(join(base, FIRST));
  expect(await previous(base, NEXT, FIRST)).toBe(join(base, FIRST));
  expect(await previous("/elsewhere", NEXT, join(base, FIRST))).toBe(join(base, FIRST));
  await expect(previous(base, NEXT, SECOND)).rejects.toThrow("there is no export");
});
