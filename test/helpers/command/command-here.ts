import { main } from "../../../src/cli/main.js";
import type { Terminal } from "../../../src/cli/terminal/terminal.js";
import type { JobFolder } from "./job-folder.js";

interface CommandEnd {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Makes the terminal of a command in a job's folder, and gives what was printed on it. */
export function terminalIn({ directory, env }: Pick<JobFolder, "directory" | "env">) {
  const { PATH, HOME, TEMPORAL_CLI_PATH } = process.env;
  const said = { stdout: "", stderr: "" };
  const terminal: Terminal = {
    env: { PATH, HOME, TEMPORAL_CLI_PATH, ...env },
    cwd: directory,
    interactive: false,
    result: (text) => {
      said.stdout += `${text}\n`;
    },
    say: (line) => {
      said.stderr += `${line}\n`;
    },
  };
  return { terminal, said };
}

/** Runs one command line in the test's process, in a job's folder, where no process is what is tested. */
export async function runHere(
  folder: Pick<JobFolder, "directory" | "env">,
  args: readonly string[],
  env: JobFolder["env"] = {},
): Promise<CommandEnd> {
  const before = { cwd: process.cwd(), code: process.exitCode };
  const { terminal, said } = terminalIn({ ...folder, env: { ...folder.env, ...env } });
  process.chdir(folder.directory);
  try {
    await main(["node", "nightledger", ...args], terminal);
    return { code: Number(process.exitCode), ...said };
  } finally {
    process.exitCode = before.code;
    process.chdir(before.cwd);
  }
}

/** Runs one command line with `--json`, as {@link runHere} does; `said` is what it printed, of a list its items. */
export async function sayHere(folder: Pick<JobFolder, "directory" | "env">, ...args: readonly string[]) {
  const { code, stdout, stderr } = await runHere(folder, [...args, "--json"]);
  const said = JSON.parse(stdout);
  return { code, stderr, said: said.items ?? said };
}
