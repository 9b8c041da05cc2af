import { execFile } from "node:child_process";
import { mkdir, rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const run = promisify(execFile);

/** What a child is run under. */
export interface ChildOptions {
  /** Bounds the files that it may write. */
  readonly limitKb?: number;
  /** A command that runs the child. */
  readonly before?: readonly string[];
}

/** `delta-child.ts` compiled for processes of its own; `release` takes the compiled files away. */
export interface DeltaProcesses {
  /** Runs one child to its end and returns what it printed. */
  start<T>(args: readonly string[], options?: ChildOptions): Promise<T>;
  release(): Promise<void>;
}

/** Compiles the child with the repo's own compiler, into a place from which it finds the packages. */
export async function compileDeltaChild(): Promise<DeltaProcesses> {
  const out = `${ROOT}node_modules/.cache/delta-child-${process.pid}`;
  await mkdir(out, { recursive: true });
  const options = ["--ignoreConfig", "--target", "es2023", "--module", "nodenext", "--types", "node"];
  const child = "test/helpers/lake/delta-child.ts";
  const compiler = `${ROOT}node_modules/typescript/bin/tsc`;
  await run(
    process.execPath,
    [compiler, ...options, "--skipLibCheck", "--rootDir", ".", "--outDir", out, child],
    { cwd: ROOT },
  );
  const script = `${out}/test/helpers/lake/delta-child.js`;
  return {
    async start<T>(args: readonly string[], { limitKb, before = [] }: ChildOptions = {}) {
      const limit = limitKb === undefined ? "" : `ulimit -f ${limitKb}; `;
      const shell = `${limit}exec "$0" "$@"`;
      const { stdout } = await run("bash", ["-c", shell, ...before, process.execPath, script, ...args]);
      return JSON.parse(stdout) as T;
    },
    release: () => rm(out, { recursive: true, force: true }),
  };
}
