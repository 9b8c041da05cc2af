import { mkdtemp, readdir, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Sandbox } from "../../../sandbox/index.js";
import { endProcess, serversOn } from "../temporal/processes.js";
import { type ChildCommand, startCommand } from "./command-process.js";

type Env = Readonly<Record<string, string | undefined>>;

export type JobFolder = Awaited<ReturnType<typeof openJobFolder>>;

/**
 * Makes a directory in which a user runs commands against a stand-in, with `users.csv` naming every user of it.
 *
 * @param lake where the files of the lake are, if not in the folder
 */
export async function openJobFolder(
  sandbox: Sandbox,
  more: Readonly<Record<string, string>> = {},
  lake?: string,
) {
  const directory = await realpath(await mkdtemp(join(tmpdir(), "nightledger-job-")));
  const home = join(directory, ".nightledger");
  const roster = join(directory, "users.csv");
  await writeFile(roster, sandbox.rosterCsv());
  const env: Env = { NIGHTLEDGER_API_URL: sandbox.url, NIGHTLEDGER_API_KEY: sandbox.apiKey, ...more };
  const children: ChildCommand[] = [];
  /** Temporal servers that have HOME's database open. */
  const servers = () => serversOn(join(home, "temporal.db"));
  const command = (args: readonly string[], extra: Env = {}) => {
    const child = startCommand(args, { cwd: directory, env: { ...env, ...extra } });
    children.push(child);
    return child;
  };
  const end = async () => {
    for (const child of children.reverse()) if (child.running()) await child.end("SIGKILL");
    for (const server of servers()) await endProcess(server);
  };
  return {
    directory,
    lake: lake ?? join(directory, "lake"),
    home,
    roster,
    env,
    command,
    /** `sync` of the whole roster, with a summary in JSON. */
    sync: (...args: string[]) => command(["sync", "--roster", "users.csv", "--json", ...args]),
    servers,
    names: async () => (await readdir(directory)).sort(),
    end,
    async release() {
      await end();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
