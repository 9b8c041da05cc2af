import { chmod, mkdir, readdir, stat } from "node:fs/promises";
import { join, relative } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { materialize } from "../../../../src/lake/materialize/materialize.js";
import { createLocalStore } from "../../../../src/lake/store/local/local-store.js";
import { openness } from "../../../../src/lake/store/local/local-store-directories.js";
import { Journal } from "../../../../src/lake/sync/journal/journal.js";
import { runHere } from "../../../helpers/command/command-here.js";
import { eachTest, tempDirectory } from "../../../helpers/each-test.js";
import { FeedLake } from "../../../helpers/lake/feed-lake.js";

const temp = eachTest(tempDirectory);
let directory: string;
let umask: number;
beforeEach(async () => {
  await chmod(temp.path, 0o755);
  directory = join(temp.path, "lake");
  umask = process.umask();
});
afterEach(async () => {
  process.umask(umask);
});

/** Uses a lake in every way that writes: commits, checkpoints, SQL's files, staged and sealed objects. */
async function use(): Promise<void> {
  const at = await FeedLake.openAt(directory);
  const { staging, store } = at.lake;
  const journal = new Journal(store, "run", "0");
  await journal.addValue("link", {});
  await journal.close();
  await staging.putDocument("run", "roster", []);
  await store.put("_staging/calls/intent", "sealed", { durable: true });
  await store.putIfAbsent("_staging/webhooks/1", "sealed");
  await store.putIfAbsent("_nightledger/canary", "sealed");
  await at.feed({ id: "1", sequence: 1 });
  const feed = at.lake.table("transaction_changes");
  await feed.checkpoint(await feed.snapshot());
  await materialize(at.lake);
  await at.lake.close();
}

/** The modes of all directories and files, each with one path that has it. */
async function modesOf(area: (path: string) => boolean): Promise<{ directories: string[]; files: string[] }> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const directories = new Set<string>();
  const files = new Set<string>();
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name);
    if (!area(relative(directory, path))) continue;
    const mode = ((await stat(path)).mode & 0o777).toString(8);
    (entry.isDirectory() ? directories : files).add(mode);
  }
  return { directories: [...directories].sort(), files: [...files].sort() };
}

const inStaging = (path: string) => path.startsWith("_staging");
const inTables = (path: string) => !inStaging(path);
const modeOf = async (path: string) => (await stat(path)).mode & 0o777;

describe("a new lake", () => {
  test.each(["000", "002", "022"])("is closed to other users whatever umask %s allows", async (loose) => {
    process.umask(Number.parseInt(loose, 8));
    await use();
    expect(await modeOf(directory)).toBe(0o750);
    expect(await modesOf(inTables)).toEqual({ directories: ["750"], files: ["640"] });
    expect(await modesOf(inStaging)).toEqual({ directories: ["700"], files: ["600"] });
    expect(await openness(directory)).toBe(
      `${directory} is closed to every user but its owner and its group`,
    );
  });

  test("is as closed as a tighter umask asks", async () => {
    process.umask(0o077);
    await use();
    expect(await modeOf(directory)).toBe(0o700);
    expect(await modesOf(inTables)).toEqual({ directories: ["700"], files: ["600"] });
    expect(await modesOf(inStaging)).toEqual({ directories: ["700"], files: ["600"] });
  });

  test.each([
    ["755", "750"],
    ["777", "770"],
    ["770", "770"],
    ["700", "700"],
  ])("in an empty directory of mode %s makes that %s", async (given, made) => {
    process.umask(0);
    await mkdir(directory, { mode: Number.parseInt(given, 8) });
    await use();
    expect((await modeOf(directory)).toString(8)).toBe(made);
    expect((await modesOf(inTables)).directories).toEqual([made]);
  });
});

describe("a lake that others may read", () => {
  beforeEach(async () => {
    process.umask(0o022);
    await mkdir(join(directory, "_staging"), { recursive: true });
    await mkdir(join(directory, "transaction_changes"));
  });

  test("keeps its modes, and new files in it can be read as the old ones", async () => {
    await use();
    expect(await modeOf(directory)).toBe(0o755);
    expect(await modesOf(inTables)).toEqual({ directories: ["755"], files: ["644"] });
    const { files } = await modesOf(inStaging);
    expect(files).toEqual(["644"]);
  });

  test("is closed for new files too once its directories are", async () => {
    await chmod(directory, 0o750);
    await chmod(join(directory, "_staging"), 0o700);
    await createLocalStore(directory).put("runs/new.parquet", "rows");
    await createLocalStore(directory).put("_staging/run/roster.json", "[]");
    expect(await modeOf(join(directory, "runs", "new.parquet"))).toBe(0o640);
    expect(await modeOf(join(directory, "_staging", "run", "roster.json"))).toBe(0o600);
  });

  test("is named by check, with what closes it, and not as a failure", async () => {
    // Above this machine's directory for temporary files everybody may pass.
    expect(await openness(directory)).toMatch(/is open to every user of this machine \(0755\): `chmod o= /);
    expect(await openness(directory)).toMatch(
      /_staging holds customers' data in plain text and is open \(0755\)/,
    );
    await chmod(directory, 0o750);
    expect(await openness(directory)).toMatch(/^\S+_staging holds customers' data/);
    const env = {
      NIGHTLEDGER_LAKE: directory,
      NIGHTLEDGER_HOME: join(temp.path, "home"),
      NIGHTLEDGER_API_URL: "http://127.0.0.1:1",
      NIGHTLEDGER_API_KEY: "sk_test_modes",
      TEMPORAL_CLI_PATH: process.execPath,
    };
    const { stdout } = await runHere({ directory: temp.path, env }, ["check", "--json"]);
    expect(JSON.parse(stdout).items).toContainEqual({
      check: "who may read the lake",
      ok: true,
      detail: expect.stringMatching(/_staging holds customers' data.*chmod go= /),
    });
  });
});

test("a lake that is not there yet, and one below a closed directory, are not called open", async () => {
  expect(await openness(directory)).toMatch(/does not exist yet; it will be closed/);
  await mkdir(directory, { mode: 0o755 });
  await chmod(directory, 0o755);
  await chmod(temp.path, 0o700);
  expect(await openness(directory)).toBe(`${directory} is closed to every user but its owner and its group`);
});
