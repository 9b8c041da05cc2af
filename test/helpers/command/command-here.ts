import { main } from "../../../src/cli/main.js";
import type { JobFolder } from "./job-folder.js";

/** How a command ended that ran in the test's own process. */
interface CommandEnd {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs one command line in the test's process, in a job's folder, where no process is what is tested. */
export async function runHere(
  folder: Pick<JobFolder, "directory" | "env">,
  args: readonly string[],
  env: JobFolder["env"] = {},
): Promise<CommandEnd> {
  const before = { cwd: process.cwd(), code: process.exitCode };
  let stdout = "";
  let stderr = "";
  const { PATH, HOME, TEMPORAL_CLI_PATH } = process.env;
  process.chdir(folder.directory);
  try {
    await main(["node", "nightledger", ...args], {
      env: { PATH, HOME, TEMPORAL_CLI_PATH, ...folder.env, ...env },
      cwd: folder.directory,
      interactive: false,
      result: (text) => {
        stdout += `${text}\n`;
      },
      say: (line) => {
        stderr += `${line}\n`;
      },
    });
    return { code: Number(process.exitCode), stdout, stderr };
  } finally {
    process.exitCode = before.code;
    process.chdir(before.cwd);
  }
}

/** Runs one command line with `--json`, as {@link runHere} does; `said` is what it printed. */
export async function sayHere(folder: Pick<JobFolder, "directory" | "env">, ...args: readonly string[]) {
  const { code, stdout, stderr } = await runHere(folder, [...args, "--json"]);
  return { code, stderr, said: JSON.parse(stdout) };
}
