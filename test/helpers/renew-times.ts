import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

// npm run test:times [-- <files>]: runs all tests, or those of some files, and writes what they cost into times.json.
const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const TIMES = join(ROOT, "test/times.json");
const LEAST_SECONDS = 0.5;

const files = process.argv.slice(2);
const directory = mkdtempSync(join(tmpdir(), "nightledger-times-"));
const record = join(directory, "times.jsonl");
writeFileSync(record, "");
const vitest = [join(ROOT, "node_modules/vitest/vitest.mjs"), "run", ...files];
const env = { ...process.env, RECORD_TEST_TIMES: record };
const { status } = spawnSync(process.execPath, vitest, { cwd: ROOT, env, stdio: "inherit" });
const lines = readFileSync(record, "utf8").split("\n").filter(Boolean);
rmSync(directory, { recursive: true });
const renewed = Object.assign(
  JSON.parse(readFileSync(TIMES, "utf8")),
  ...lines.map((line) => JSON.parse(line)),
) as Record<string, number>;
const kept = Object.entries(renewed)
  .filter(([path, seconds]) => seconds >= LEAST_SECONDS && existsSync(join(ROOT, path)))
  .map(([path, seconds]) => [path, Number(seconds.toFixed(1))] as const)
  .sort(([a], [b]) => (a < b ? -1 : 1));
writeFileSync(TIMES, `${JSON.stringify(Object.fromEntries(kept), null, 2)}\n`);
process.stdout.write(`${lines.length} files recorded, ${kept.length} in test/times.json\n`);
process.exitCode = status ?? 1;
