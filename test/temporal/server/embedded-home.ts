import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach } from "vitest";
import { acquireEmbeddedServer, type EmbeddedServer } from "../../../src/temporal/server/embedded-server.js";
import { becomesReady } from "../../../src/temporal/server/server-readiness.js";
import { compiledProgram } from "../../helpers/command/compiled-program.js";
import { endProcess, identify, serversOn } from "../../helpers/temporal/processes.js";
import { temporalCliPath } from "../../helpers/temporal/temporal-environment.js";
import { type CommandProcess, startEmbeddedCommand } from "./command-process.js";

interface EmbeddedHome {
  readonly home: string;
  readonly cliPath: string;
  serverPid(): Promise<number>;
  /** Servers on its database, in whatever namespace. */
  servers(): ReturnType<typeof serversOn>;
  acquire(more?: { readonly ui?: boolean; readonly home?: string }): Promise<EmbeddedServer>;
  /** Starts a process that acquires it, under the words of a command that runs it. */
  command(within?: readonly string[]): CommandProcess;
  ready(address: string): Promise<boolean>;
}

/**
 * Makes a new HOME before each test; afterwards ends whatever uses it and removes it.
 *
 * @param prefix of the directory's name
 * @param ended runs once commands and servers have been ended
 */
export function embeddedHome(
  prefix = "nightledger-home-",
  ended: (home: string) => Promise<void> = async () => undefined,
): EmbeddedHome {
  let cliPath: string;
  let script: string;
  let home: string;
  let commands: CommandProcess[];
  const servers = () => serversOn(join(home, "temporal.db"));
  beforeAll(async () => {
    cliPath = await temporalCliPath();
    script = compiledProgram("test/temporal/server/embedded-command.ts");
  }, 1_800_000);
  beforeEach(async () => {
    home = await realpath(await mkdtemp(join(tmpdir(), prefix)));
    commands = [];
  });
  afterEach(async () => {
    for (const command of commands) if (identify(command.pid)) await command.kill();
    for (const server of servers()) await endProcess(server);
    await ended(home);
    await rm(home, { recursive: true, force: true });
  });
  return {
    get home() {
      return home;
    },
    get cliPath() {
      return cliPath;
    },
    async serverPid() {
      const [server] = servers();
      if (server === undefined) throw new Error("HOME has no server");
      return server.pid;
    },
    servers,
    acquire: (more = {}) => acquireEmbeddedServer({ home, cliPath, report: () => undefined, ...more }),
    command(within = []) {
      const started = startEmbeddedCommand(script, home, cliPath, within);
      commands.push(started);
      return started;
    },
    ready: (address) => becomesReady(address, "default", { deadlineMs: 10_000 }),
  };
}
