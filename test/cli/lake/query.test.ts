import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { existingLake, withUncopied } from "../../../src/cli/lake/query.js";
import { SILENT } from "../../helpers/command/silent-terminal.js";

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "nightledger-lake-"));
});
afterEach(() => rm(directory, { recursive: true }));

function existing() {
  return existingLake({ ...SILENT, env: { NIGHTLEDGER_LAKE: directory } });
}

test("a directory of something else does not answer as an empty lake", async () => {
  await writeFile(join(directory, "notes.txt"), "mine");
  await mkdir(join(directory, "transactions"));
  await expect(existing()).rejects.toThrow(/ is no lake: .*Name the lake that jobs write to, or sync first/);
});

test.each([
  ["_nightledger", "service.json"],
  ["transactions/_delta_log", "00000000000000000000.json"],
])("a directory with %s/%s is a lake", async (folder, file) => {
  await mkdir(join(directory, folder), { recursive: true });
  await writeFile(join(directory, folder, file), "{}");
  expect(await existing()).toMatchObject({ address: directory });
});

test("a proof of a bucket leaves no copies in scratch", async () => {
  await withUncopied({ address: "s3://ledger/tables", scratch: { directory, mostBytes: 1 } }, async () => {
    expect(await readdir(join(directory, "proofs"))).toHaveLength(1);
  });
  expect(await readdir(join(directory, "proofs"))).toEqual([]);
});
