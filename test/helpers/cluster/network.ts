import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { pipeline } from "node:stream";
import { promisify } from "node:util";
import { OWN_PIDS } from "../command/namespaces.js";

const run = promisify(execFile);

export interface Network {
  /** The address of what all of them use. */
  readonly host: string;
  /** Why all machines are this one; undefined where each is a namespace of its own. */
  readonly shared?: string;
  /**
   * The command line that runs a program on a machine, with a directory which nobody else sees and which is gone with it.
   * Empty where there are no namespaces.
   */
  within(machine: number, directory: string): readonly string[];
  /** Cuts a machine off, or joins it again. Undefined where there are no namespaces. */
  readonly cut?: (machine: number, isCut: boolean) => Promise<unknown>;
  /** Makes a server that listens on 127.0.0.1 here known to the machines; its address for them. */
  offer(port: number): Promise<{ readonly url: string; close(): Promise<void> }>;
  release(): Promise<void>;
}

/** Opens a network of machines: namespaces of mounts, processes and network, joined by a bridge. */
export async function openNetwork(machines: number): Promise<Network> {
  const name = `nl${randomBytes(3).toString("hex")}`;
  // 198.18.0.0/15 is for tests of networks, and leads nowhere.
  const subnet = `198.18.${randomBytes(1)[0]}`;
  const release = async () => {
    for (let n = 1; n <= machines; n += 1)
      await run("ip", ["netns", "delete", `${name}-${n}`]).catch(() => {});
    await run("ip", ["link", "delete", name]).catch(() => {});
  };
  const within = (machine: number, directory: string) => [
    ...["ip", "netns", "exec", `${name}-${machine}`, ...OWN_PIDS, "--mount"],
    ...["sh", "-c", 'mount -t tmpfs machine "$0" && cd "$0" && exec "$@"', directory],
  ];
  const ip = (line: string) => run("ip", line.split(" "));
  try {
    await ip(`link add ${name} type bridge`);
    await ip(`address add ${subnet}.1/24 dev ${name}`);
    await ip(`link set ${name} up`);
    for (let n = 1; n <= machines; n += 1) {
      const space = `${name}-${n}`;
      await ip(`netns add ${space}`);
      await ip(`link add ${name}v${n} type veth peer name eth0 netns ${space}`);
      await ip(`link set ${name}v${n} master ${name} up`);
      await ip(`-n ${space} address add ${subnet}.${n + 1}/24 dev eth0`);
      await ip(`-n ${space} link set lo up`);
      await ip(`-n ${space} link set eth0 up`);
      const [command = "", ...args] = [...within(n, "/mnt"), "true"];
      await run(command, args);
    }
  } catch (error) {
    await release();
    return ownMachine(error);
  }
  const cut = (machine: number, isCut: boolean) => ip(`link set ${name}v${machine} ${isCut ? "down" : "up"}`);
  return { host: `${subnet}.1`, within, cut, offer: (port) => relay(`${subnet}.1`, port), release };
}

/** A loopback address of its own, so that ports are free. */
function ownMachine(error: unknown): Network {
  const [one = 0, two = 0] = randomBytes(2);
  return {
    host: `127.${16 + (one % 200)}.${two}.1`,
    shared: String((error as Error).message)
      .trim()
      .replaceAll("\n", " "),
    within: () => [],
    offer: async (port) => ({ url: `http://127.0.0.1:${port}`, close: async () => {} }),
    release: async () => {},
  };
}

async function relay(host: string, port: number) {
  const server = createServer((socket) => {
    const target = connect({ host: "127.0.0.1", port });
    // One that breaks off ends the other.
    pipeline(socket, target, socket, () => undefined);
  });
  server.listen(0, host);
  await once(server, "listening");
  return {
    url: `http://${host}:${(server.address() as AddressInfo).port}`,
    async close() {
      server.close();
      await once(server, "close");
    },
  };
}
