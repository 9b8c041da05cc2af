import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openLogFile } from "../src/log-file.js";

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL("..", import.meta.url));

let directory: string;
let path: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "nightledger-log-file-"));
  path = join(directory, "nightledger.log");
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const names = () => readdirSync(directory).filter((name) => name.startsWith("nightledger.log"));
const lines = () =>
  names().flatMap((name) => readFileSync(join(directory, name), "utf8").split("\n").slice(0, -1));
const line = (n: number) => `${String(n).padStart(9, "0")}\n`;

test("a file that is too large is put aside while it is open, and the newest few are kept", () => {
  const log = openLogFile(path, { mostBytes: 50, kept: 2 });
  for (let n = 0; n < 40; n += 1) log.write(line(n));
  log.close();
  expect(names()).toHaveLength(3);
  expect(lines().sort()).toEqual(Array.from({ length: 15 }, (_, n) => line(25 + n).trim()));
  for (const name of names()) expect(statSync(join(directory, name)).mode & 0o777).toBe(0o600);
});

test("a process continues in the new file when another one renames or deletes the file that it has open", () => {
  const one = openLogFile(path, { mostBytes: 50 });
  const two = openLogFile(path, { mostBytes: 50 });
  for (let n = 0; n < 6; n += 1) one.write(line(n));
  two.write(line(6));
  expect(names()).toHaveLength(2);
  expect(readFileSync(path, "utf8")).toBe(line(5) + line(6));
  renameSync(path, join(directory, "taken"));
  two.write(line(7));
  one.write(line(8));
  expect(readFileSync(path, "utf8")).toBe(line(7) + line(8));
  for (const log of [one, two]) log.close();
  one.write(line(9));
  expect(lines()).not.toContain(line(9).trim());
});

test("other files beside it are left alone", () => {
  const others = ["nightledger.log.bak", "nightledger.log.1", "temporal.log"];
  for (const name of others) writeFileSync(join(directory, name), "kept");
  const log = openLogFile(path, { mostBytes: 10, kept: 1 });
  for (let n = 0; n < 9; n += 1) log.write(line(n));
  log.close();
  for (const name of others) expect(readFileSync(join(directory, name), "utf8")).toBe("kept");
});

test("a line that can't be written harms nobody", () => {
  const log = openLogFile(path);
  rmSync(directory, { recursive: true });
  log.write(line(1));
  log.close();
});

test("several processes write at once, and every line is there once and whole", async () => {
  const compiler = join(ROOT, "node_modules/typescript/bin/tsc");
  const options = [
    "--ignoreConfig",
    "--target",
    "es2023",
    "--module",
    "nodenext",
    "--types",
    "node",
    "--skipLibCheck",
  ];
  await run(process.execPath, [compiler, ...options, "--outDir", directory, "src/log-file.ts"], {
    cwd: ROOT,
  });
  writeFileSync(join(directory, "package.json"), '{"type":"module"}');
  const script = join(directory, "writer.js");
  writeFileSync(
    script,
    `import { openLogFile } from "./log-file.js";
    const log = openLogFile(process.argv[2], { mostBytes: 5_000, kept: 1_000 });
    for (let n = 0; n < 2_000; n += 1) log.write(process.argv[3] + "-" + n + "\\n");
    log.close();`,
  );
  const writers = ["a", "b", "c"];
  await Promise.all(writers.map((name) => run(process.execPath, [script, path, name])));
  const expected = writers.flatMap((name) => Array.from({ length: 2_000 }, (_, n) => `${name}-${n}`));
  expect(lines().sort()).toEqual(expected.sort());
  expect(names().length).toBeGreaterThan(2);
});
