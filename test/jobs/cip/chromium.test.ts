import { execFile } from "node:child_process";
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findChromium, printPdf } from "../../../src/jobs/cip/chromium.js";
import { verifyPack } from "../../../src/lake/bulk/pack/verify-pack.js";
import { madeUpMembers } from "../../helpers/bulk/cip-members.js";
import { openPackRoom } from "../../helpers/bulk/cip-pack.js";

const chromium = await findChromium(process.env);

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "nightledger-chromium-"));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

async function program(script: string): Promise<string> {
  const path = join(directory, "chromium");
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o755);
  return path;
}

test("CHROMIUM is taken, then what is on the path, then none", async () => {
  const path = await program("exit 0");
  expect(await findChromium({ CHROMIUM: "/x/chrome", PATH: directory })).toBe("/x/chrome");
  expect(await findChromium({ CHROMIUM: "", PATH: `/nowhere:${directory}` })).toBe(path);
  expect(await findChromium({ PATH: "/nowhere" })).toBeUndefined();
  expect(await findChromium({})).toBeUndefined();
});

test("a browser that fails, makes nothing or is none leaves no PDF, and is said", async () => {
  const pdf = join(directory, "a.pdf");
  const print = async (browser: string) => printPdf(browser, join(directory, "a.html"), pdf);
  expect(await print(await program("exit 3"))).toMatch(/ended with code 3$/);
  expect(await print(await program("exit 0"))).toMatch(/made no file$/);
  expect(await print(join(directory, "none"))).toMatch(/could not be run/);
  await expect(stat(pdf)).rejects.toThrow("ENOENT");
});

test("a browser that hangs is ended with its children", async () => {
  const pids = join(directory, "pids");
  const browser = await program(`echo $$ >> ${pids}; sleep 600 & echo $! >> ${pids}; wait`);
  const failure = await printPdf(browser, "/a.html", join(directory, "a.pdf"), { longestMs: 1_500 });
  expect(failure).toMatch(/took longer than/);
  const left = (await readFile(pids, "utf8")).trim().split("\n").map(Number);
  expect(left).toHaveLength(2);
  const isAlive = (pid: number) => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };
  await expect.poll(() => left.filter(isAlive)).toEqual([]);
});

test("without a browser a pack is whole and says so", async () => {
  const room = await openPackRoom(join(directory, "none"));
  const { directory: pack, manifest } = await room.write(madeUpMembers(3));
  expect(manifest.facts.pdf).toMatch(/^not printed: .* could not be run/);
  await verifyPack(pack, room.tools);
  await room.release();
});

test.skipIf(chromium === undefined)("a Chromium opens the report offline and prints it", async () => {
  const room = await openPackRoom(chromium ?? null);
  const { directory: pack, manifest } = await room.write(madeUpMembers(25));
  expect(manifest.facts.pdf).toBe("report.pdf is report.html, printed");
  expect((await readFile(join(pack, "report.pdf"), "latin1")).slice(0, 5)).toBe("%PDF-");
  await verifyPack(pack, room.tools);
  const flags = ["--headless", "--disable-gpu", `--user-data-dir=${directory}`, "--dump-dom"];
  const root = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  const page = pathToFileURL(join(pack, "report.html")).href;
  const { stdout } = await promisify(execFile)(chromium ?? "", [...flags, ...root, page], {
    timeout: 60_000,
  });
  expect(stdout.match(/<article class="person"/g)).toHaveLength(25);
  await room.release();
});
