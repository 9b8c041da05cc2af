import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { compiledProgram } from "../command/compiled-program.js";

/** Runs `delta-child.ts` to its end; gives what it printed. `limitKb` bounds the files that it may write. */
export async function runDeltaChild<T>(args: readonly string[], limitKb?: number): Promise<T> {
  const script = await compiledProgram("test/helpers/lake/delta-child.ts");
  const limit = limitKb === undefined ? "" : `ulimit -f ${limitKb}; `;
  const shell = `${limit}exec "$0" "$@"`;
  const { stdout } = await promisify(execFile)("bash", ["-c", shell, process.execPath, script, ...args]);
  return JSON.parse(stdout) as T;
}
