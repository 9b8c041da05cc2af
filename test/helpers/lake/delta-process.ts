import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { compiledProgram } from "../command/compiled-program.js";

/** What a child is run under. */
interface ChildOptions {
  /** Bounds the files that it may write. */
  readonly limitKb?: number;
  /** A command that runs the child. */
  readonly before?: readonly string[];
}

/** Runs `delta-child.ts` to its end; gives what it printed. */
export async function runDeltaChild<T>(args: readonly string[], options?: ChildOptions): Promise<T> {
  return JSON.parse(await runChild("test/helpers/lake/delta-child.ts", args, options)) as T;
}

/** Runs a test's own program to its end; gives what it printed. */
export async function runChild(
  program: `test/${string}.ts`,
  args: readonly string[],
  { limitKb, before = [] }: ChildOptions = {},
): Promise<string> {
  const script = compiledProgram(program);
  const limit = limitKb === undefined ? "" : `ulimit -f ${limitKb}; `;
  const command = [...before, process.execPath, script, ...args];
  const { stdout } = await promisify(execFile)("bash", ["-c", `${limit}exec "$0" "$@"`, ...command]);
  return stdout;
}
