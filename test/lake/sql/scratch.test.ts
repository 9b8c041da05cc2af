import { existsSync } from "node:fs";
import { chmod, mkdtemp, readdir, rm, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createDuckDb } from "../../../src/lake/sql/duckdb.js";
import { Scratch, temporaryScratch } from "../../../src/lake/sql/scratch.js";
import { openTestLake, type TestLake } from "../../helpers/lake/delta-lake.js";
import { spill } from "../../helpers/lake/spill.js";

const MINUTE_MS = 60_000;

let lake: TestLake;
let base: string;
beforeEach(async () => {
  lake = await openTestLake();
  base = join(lake.directory, "_staging", "scratch");
});
afterEach(() => lake.release());

/** Sets the time of a file or directory so far back. */
async function age(path: string, ms: number): Promise<void> {
  const at = new Date(Date.now() - ms);
  await utimes(path, at, at);
}

/** What is left of an engine whose process was killed so long ago: a page, its spill, its lease. */
async function leaveBehind(ms: number): Promise<string> {
  const dead = new Scratch(base);
  await dead.open();
  await writeFile(join(dead.files, "page.json"), "a customer's transactions");
  await writeFile(join(dead.spill, "duckdb_temp_storage-0.tmp"), "rows");
  await age(join(dead.files, "..", ".tmp-lease"), ms);
  return join(dead.files, "..");
}

describe("engines on one scratch directory", () => {
  test("that have the same process id spill at once, and each reads its own rows", async () => {
    const found = await Promise.all([1, 2, 3].map((seed) => spill(base, seed)));
    expect(found).toEqual([1, 2, 3].map((seed) => ({ seed, spilled: true, wrong: 0 })));
    expect(await readdir(base)).toEqual([]);
  });
});

describe("what a dead engine left", () => {
  test("is removed at the next start once its lease is old, page and spill and all", async () => {
    const left = await leaveBehind(61 * MINUTE_MS);
    const next = createDuckDb({ scratchDirectory: base });
    await next.exclusive((sql) => sql.rows("select 1"));
    expect(existsSync(left)).toBe(false);
    await next.close();
    expect(await readdir(base)).toEqual([]);
  });

  test("is removed by an engine that has seen its lease rest for some beats", async () => {
    const left = await leaveBehind(6 * MINUTE_MS);
    const next = new Scratch(base);
    await next.open();
    for (let beat = 0; beat < 3; beat += 1) await next.beat();
    expect(existsSync(left)).toBe(true);
    await next.beat();
    expect(existsSync(left)).toBe(false);
    await next.close();
  });
});

describe("scratch outside of any lake", () => {
  const before = process.env.TMPDIR;
  afterEach(() => {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
  });

  test("is the same directory for every command of a user, and nobody else's", async () => {
    process.env.TMPDIR = await mkdtemp(join(tmpdir(), "nightledger-tmp-"));
    const path = await temporaryScratch();
    expect(await temporaryScratch()).toBe(path);
    expect((await stat(path)).mode & 0o777).toBe(0o700);
    await rm(process.env.TMPDIR, { recursive: true });
  });

  test("names TMPDIR where there is no such directory", async () => {
    process.env.TMPDIR = join(lake.directory, "missing");
    await expect(temporaryScratch()).rejects.toMatchObject({
      name: "InputError",
      message: expect.stringMatching(/^TMPDIR: .*missing\/nightledger-.* can't be made \(ENOENT\)/),
    });
  });

  test("is never one that another user has planted", async () => {
    process.env.TMPDIR = await mkdtemp(join(tmpdir(), "nightledger-tmp-"));
    const path = await temporaryScratch();
    await chmod(path, 0o777);
    const other = await temporaryScratch();
    expect(other).not.toBe(path);
    expect((await stat(other)).mode & 0o777).toBe(0o700);
    await rm(path, { recursive: true });
    await symlink(lake.directory, path);
    expect(await temporaryScratch()).not.toBe(path);
    await rm(process.env.TMPDIR, { recursive: true });
  });
});

describe("a living engine's scratch", () => {
  test("stays while its lease is renewed, also where the clock jumps by days between two renewals", async () => {
    const [living, other] = [new Scratch(base), new Scratch(base)];
    await living.open();
    await other.open();
    const lease = join(living.files, "..", ".tmp-lease");
    for (let beat = 0; beat < 10; beat += 1) {
      await age(lease, (beat % 3) * 20 * MINUTE_MS);
      await other.beat();
    }
    expect(existsSync(living.files)).toBe(true);
    await living.beat();
    expect(Date.now() - (await stat(lease)).mtimeMs).toBeLessThan(MINUTE_MS);
    await Promise.all([living.close(), other.close()]);
    expect(await readdir(base)).toEqual([]);
  });

  test("is made again if it was taken for dead, and the engine continues and spills", async () => {
    const engine = createDuckDb({ scratchDirectory: base, memoryLimitMb: 32 });
    const sorted =
      "select count(*) as n from (select hash(range)::varchar as t from range(1000000) order by t)";
    expect(await engine.exclusive((sql) => sql.rows(sorted))).toEqual([{ n: 1_000_000n }]);
    await age(join(engine.scratchDirectory, "..", ".tmp-lease"), 61 * MINUTE_MS);
    const other = new Scratch(base);
    await other.open();
    expect(existsSync(engine.scratchDirectory)).toBe(false);
    expect(await engine.exclusive((sql) => sql.rows(sorted))).toEqual([{ n: 1_000_000n }]);
    await engine.makeScratch();
    expect(existsSync(engine.scratchDirectory)).toBe(true);
    await Promise.all([engine.close(), other.close()]);
  });

  test("is closed to everybody else", async () => {
    const scratch = new Scratch(base);
    await scratch.open();
    for (const path of [scratch.files, scratch.spill, join(scratch.files, "..")]) {
      expect((await stat(path)).mode & 0o777).toBe(0o700);
    }
    expect((await stat(join(scratch.files, "..", ".tmp-lease"))).mode & 0o777).toBe(0o600);
    await scratch.close();
  });
});
