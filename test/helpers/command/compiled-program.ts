import { execFile } from "node:child_process";
import { copyFile, mkdir, rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/** What the product finds by its path rather than by an import. */
const FOUND_BY_PATH = ["src/temporal/encryption/failure-converter.ts"];
const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

/** A test's own program, compiled; `release` takes the files away. */
export interface CompiledProgram {
  readonly script: string;
  release(): Promise<void>;
}

/**
 * Compiles a TypeScript program of the tests with the repo's own compiler, into a place from which it finds
 * the packages and the workflow bundle.
 *
 * @param source path within the repo, such as `test/helpers/kill/fault-worker.ts`
 * @param alongside what it finds by path too, such as a workflow
 */
export async function compileProgram(source: string, ...alongside: string[]): Promise<CompiledProgram> {
  const base = `${ROOT}node_modules/.cache/test-program-${process.pid}`;
  const out = `${base}/dist`;
  await mkdir(out, { recursive: true });
  const options = ["--ignoreConfig", "--target", "es2023", "--module", "nodenext", "--types", "node"];
  const target = [
    "--skipLibCheck",
    "--rootDir",
    ".",
    "--outDir",
    out,
    source,
    ...alongside,
    ...FOUND_BY_PATH,
  ];
  const compiler = `${ROOT}node_modules/typescript/bin/tsc`;
  await promisify(execFile)(process.execPath, [compiler, ...options, ...target], { cwd: ROOT });
  await copyFile(`${ROOT}dist/workflow-bundle.js`, `${out}/workflow-bundle.js`);
  return {
    script: `${out}/${source.replace(/\.ts$/, ".js")}`,
    release: () => rm(base, { recursive: true, force: true }),
  };
}
