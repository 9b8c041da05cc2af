import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, symlink } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/** Programs that tests run as processes of their own, and the workflows that those find by path. */
const PROGRAMS = [
  "test/helpers/calls/call-process.ts",
  "test/helpers/calls/call-workflow.ts",
  "test/helpers/kill/fault-worker.ts",
  "test/helpers/kill/forgetful-preload.ts",
  "test/helpers/lake/delta-child.ts",
  "test/helpers/lake/journal-child.ts",
  "test/helpers/webhooks/receiver-process.ts",
  "test/temporal/server/embedded-command.ts",
] as const;
/** What the product finds by its path rather than by an import. */
const FOUND_BY_PATH = "src/temporal/encryption/failure-converter.ts";
const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const CACHE = join(ROOT, "node_modules/.cache/test-programs");
const UNUSED_AFTER_MS = 86_400_000;

/**
 * The script of a test's own program. All of them are compiled at once by the repo's own compiler, once per
 * content of the sources, into a place from which they find the packages and the workflow bundle.
 */
export async function compiledProgram(source: (typeof PROGRAMS)[number]): Promise<string> {
  const compiled = join(CACHE, await contentOfSources());
  if (!existsSync(compiled)) await compile(compiled);
  return join(compiled, "dist", source.replace(/\.ts$/, ".js"));
}

async function compile(target: string): Promise<void> {
  await mkdir(CACHE, { recursive: true });
  await removeUnused();
  const made = await mkdtemp(join(CACHE, "making-"));
  const out = join(made, "dist");
  const options = ["--ignoreConfig", "--target", "es2023", "--module", "nodenext", "--types", "node"];
  const paths = ["--skipLibCheck", "--rootDir", ".", "--outDir", out, ...PROGRAMS, FOUND_BY_PATH];
  const compiler = join(ROOT, "node_modules/typescript/bin/tsc");
  await promisify(execFile)(process.execPath, [compiler, ...options, ...paths], { cwd: ROOT });
  await symlink(join(ROOT, "dist/workflow-bundle.js"), join(out, "workflow-bundle.js"));
  // Of two test files that compile at once the second finds the place taken by the same content.
  await rename(made, target).catch(async (error) => {
    await rm(made, { recursive: true });
    if (!existsSync(target)) throw error;
  });
}

/** Names the content of every source that a program may be made of. */
async function contentOfSources(): Promise<string> {
  const hash = createHash("sha256");
  for (const folder of ["src", "sandbox", "test"]) {
    const names = await readdir(join(ROOT, folder), { recursive: true });
    for (const name of names.filter((one) => one.endsWith(".ts")).sort()) {
      const path = join(folder, name);
      hash.update(`${path}\0`).update(await readFile(join(ROOT, path)));
    }
  }
  return hash.update(await readFile(join(ROOT, "package-lock.json"))).digest("hex");
}

async function removeUnused(): Promise<void> {
  for (const name of await readdir(CACHE)) {
    const path = join(CACHE, name);
    const { mtimeMs } = await stat(path);
    if (Date.now() - mtimeMs > UNUSED_AFTER_MS) await rm(path, { recursive: true, force: true });
  }
}
