import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readdir, rm, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { DAY } from "../../../src/domain/duration.js";
import { createDuckDb } from "../../../src/lake/sql/duckdb.js";
import { Scratch, temporaryScratch } from "../../../src/lake/sql/scratch.js";
import { eachTest } from "../../helpers/each-test.js";
import { openTestLake } from "../../helpers/lake/delta-lake.js";
import { spill } from "../../helpers/lake/spill.js";

const lake = eachTest(openTestLake);
let base: string;
beforeEach(async () => {
  base = join(lake.directory, "_staging", "scratch");
});

/** What a process left that was killed: a page, and its spill. */
async function leaveBehind(name: string): Promise<string> {
  const left = join(base, name);
  for (const path of [join(left, "files"), join(left, "spill")]) await mkdir(path, { recursive: true });
  await writeFile(join(left, "files", "page.json"), "a customer's transactions");
  await writeFile(join(left, "spill", "duckdb_temp_storage-0.tmp"), "rows");
  return left;
}

/** Lets an engine start and end, and says whether it left what is there. */
async function isLeft(path: string): Promise<boolean> {
  const next = createDuckDb({ scratchDirectory: base });
  await next.exclusive((sql) => sql.rows("select 1"));
  await next.close();
  return existsSync(path);
}

/** Of this process's parts: within which ids of processes differ. */
async function namespace(): Promise<string> {
  const scratch = new Scratch(base);
  await scratch.open();
  const [name = ""] = await readdir(base);
  await scratch.close();
  return name.split(".")[0] ?? "";
}

describe("engines on one scratch directory", () => {
  test("that have the same process id spill at once, and each reads its own rows", async () => {
    const found = await Promise.all([1, 2, 3].map((seed) => spill(base, seed)));
    expect(found).toEqual([1, 2, 3].map((seed) => ({ seed, spilled: true, wrong: 0 })));
    expect(await readdir(base)).toEqual([]);
  });
});

describe("the next engine", () => {
  test("removes what dead processes left, and one that had this one's id, page and spill and all", async () => {
    const { pid } = spawnSync(process.execPath, ["--version"]);
    for (const dead of [pid, process.pid])
      expect(await isLeft(await leaveBehind(`${await namespace()}.${dead}.x`))).toBe(false);
    expect(await readdir(base)).toEqual([]);
  });

  test("leaves what a living process needs", async () => {
    const child = spawn(process.execPath, ["-e", "process.stdin.resume()"]);
    expect(await isLeft(await leaveBehind(`${await namespace()}.${child.pid}.x`))).toBe(true);
    child.kill();
  });

  test("removes what another container has not written to for a day", async () => {
    const left = await leaveBehind(`1${await namespace()}.1.x`);
    const yesterday = new Date(Date.now() - DAY - 1_000);
    for (const path of [left, join(left, "files")]) await utimes(path, yesterday, yesterday);
    expect(await isLeft(left)).toBe(true);
    await utimes(join(left, "spill"), yesterday, yesterday);
    expect(await isLeft(left)).toBe(false);
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
  test("stays while another starts, and is made again if somebody emptied it", async () => {
    const engine = createDuckDb({ scratchDirectory: base, memoryLimitMb: 32 });
    const sorted =
      "select count(*) as n from (select hash(range)::varchar as t from range(1000000) order by t)";
    expect(await engine.exclusive((sql) => sql.rows(sorted))).toEqual([{ n: 1_000_000n }]);
    expect(await isLeft(engine.scratchDirectory)).toBe(true);
    await rm(base, { recursive: true });
    expect(await engine.exclusive((sql) => sql.rows(sorted))).toEqual([{ n: 1_000_000n }]);
    await engine.makeScratch();
    expect(existsSync(engine.scratchDirectory)).toBe(true);
    await engine.close();
  });

  test("is closed to everybody else", async () => {
    const scratch = new Scratch(base);
    await scratch.open();
    for (const path of [scratch.files, scratch.spill, join(scratch.files, "..")]) {
      expect((await stat(path)).mode & 0o777).toBe(0o700);
    }
    await scratch.close();
  });
});
