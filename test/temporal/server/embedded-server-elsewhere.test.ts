import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { identify } from "../../../src/temporal/server/process-identity.js";
import { endProcess, serversOn } from "../../../src/temporal/server/server-process.js";
import { becomesReady } from "../../../src/temporal/server/server-readiness.js";
import { compiledProgram } from "../../helpers/command/compiled-program.js";
import { temporalCliPath } from "../../helpers/temporal/temporal-environment.js";
import { type CommandProcess, startEmbeddedCommand } from "./command-process.js";
import { canUnshare, OWN_NETWORK, OWN_PIDS } from "./namespaces.js";

let cliPath: string;
let script: string;
let home: string;
let commands: CommandProcess[];

// From here all of them can be seen, whatever namespace they are in.
const servers = () => serversOn(join(home, "temporal.db"));
const ready = (address: string) => becomesReady(address, "default", { deadlineMs: 10_000 });

function command(within: readonly string[] = []): CommandProcess {
  const started = startEmbeddedCommand(script, home, cliPath, within);
  commands.push(started);
  return started;
}

// Where it does not run, the report says so: it needs Linux and the right to make namespaces (root).
describe.runIf(canUnshare())("commands in PID namespaces of their own, as containers are", () => {
  beforeAll(async () => {
    cliPath = await temporalCliPath();
    script = await compiledProgram("test/temporal/server/embedded-command.ts");
  }, 1_800_000);
  beforeEach(async () => {
    home = await realpath(await mkdtemp(join(tmpdir(), "nightledger-home-")));
    commands = [];
  });
  afterEach(async () => {
    for (const command of commands) if (identify(command.pid)) await command.kill();
    for (const server of servers()) await endProcess(server, 0);
    await rm(home, { recursive: true, force: true });
  });

  test("one HOME has one server, however many start at once", async () => {
    let most = 0;
    const watching = setInterval(() => {
      most = Math.max(most, servers().length);
    }, 10);
    try {
      const three = [command(OWN_PIDS), command(OWN_PIDS), command()];
      const addresses = await Promise.all(three.map(({ address }) => address));
      expect(new Set(addresses).size).toBe(1);
      expect(await ready(addresses[0] ?? "")).toBe(true);
    } finally {
      clearInterval(watching);
    }
    expect(most).toBe(1);
  });

  test("a command that ends leaves the server to one in another namespace, and the last one ends it", async () => {
    const first = command(OWN_PIDS);
    const address = await first.address;
    const second = command(OWN_PIDS);
    expect(await second.address).toBe(address);
    await second.finish();
    expect(await ready(address)).toBe(true);
    await first.finish();
    await expect.poll(servers).toEqual([]);
  });

  test("a namespace that is killed with its server is found to be dead, and HOME is used again", async () => {
    const killed = command(OWN_PIDS);
    const address = await killed.address;
    await killed.kill();
    await expect.poll(servers).toEqual([]);
    const next = command(OWN_PIDS);
    expect(await next.address).toBe(address);
    expect(servers()).toHaveLength(1);
  });

  test("a server whose network can't be reached from here is left alone, with a word about why", async () => {
    const first = command(OWN_PIDS);
    const address = await first.address;
    const running = servers();
    await expect(command(OWN_NETWORK).address).rejects.toThrow(
      /HOME .* is used by .* another container, whose Temporal server can't be reached/,
    );
    expect(servers()).toEqual(running);
    expect(await ready(address)).toBe(true);
    await first.finish();
  });
});
