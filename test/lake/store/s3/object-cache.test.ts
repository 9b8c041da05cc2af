import { mkdtemp, readdir, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { HOUR } from "../../../../src/domain/duration.js";
import { ObjectCache } from "../../../../src/lake/store/s3/object-cache.js";

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "nightledger-cache-"));
});
afterEach(() => rm(directory, { recursive: true }));

async function bytes(): Promise<number> {
  const sizes = (await readdir(directory)).map(async (name) => (await stat(join(directory, name))).size);
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

test("copies stay below their bound though each process adds only little", async () => {
  const then = new Date(Date.now() - 2 * HOUR);
  for (let process = 0; process < 200; process++) {
    const cache = new ObjectCache("s3://ledger", { directory, mostBytes: 8_000 });
    const path = await cache.add(`object-${process}`, async (file) => {
      await writeFile(file, "x".repeat(100));
      return true;
    });
    await utimes(path ?? "", then, then);
  }
  // Chance decides when they are looked at, after 500 bytes in the mean; so late it does not.
  expect(await bytes()).toBeLessThan(15_000);
});
