import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { previousPack } from "../../../src/jobs/cip/earlier-exports.js";
import { directoryPacks } from "../../../src/lake/bulk/pack/pack-place.js";
import { madeUpMembers } from "../../helpers/bulk/cip-members.js";
import { openPackRoom } from "../../helpers/bulk/cip-pack.js";
import { eachTest } from "../../helpers/each-test.js";

const FIRST = "cip-20261120T010203Z-aaaaaa";
const SECOND = "cip-20261121T010203Z-bbbbbb";
const NEXT = "cip-20261122T010203Z-cccccc";

const room = eachTest(openPackRoom);
let base: string;
beforeEach(async () => {
  base = join(room.root, "packs");
});

const write = (exportId: string) => room.write(madeUpMembers(2), { exportId });
const previous = async (directory: string, runId: string, named: string | null) =>
  (await previousPack(directoryPacks(directory), runId, named, "no scratch"))?.manifest.export_id;

test("the newest export before one; what else lies beside it is none", async () => {
  expect(await previous(join(base, "none"), NEXT, null)).toBeUndefined();
  for (const id of [FIRST, SECOND]) await write(id);
  for (const name of ["cip-2026", `${SECOND}.zip`, `.${SECOND}.x`, "old"]) await mkdir(join(base, name));
  expect(await previous(base, NEXT, null)).toBe(SECOND);
  expect(await previous(base, SECOND, null)).toBe(FIRST);
});

test("the export that was named, by its id or directory", async () => {
  await write(FIRST);
  expect(await previous(base, NEXT, FIRST)).toBe(FIRST);
  expect(await previous("/elsewhere", NEXT, join(base, FIRST))).toBe(FIRST);
  await expect(previous(base, NEXT, SECOND)).rejects.toThrow("there is no export");
});
