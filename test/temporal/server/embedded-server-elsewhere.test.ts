import { describe, expect, test } from "vitest";
import { canUnshare, OWN_PIDS } from "../../helpers/command/namespaces.js";
import { embeddedHome } from "./embedded-home.js";

/** A network of its own, as another machine or container has. */
const OWN_NETWORK = [
  "unshare",
  "--net",
  "sh",
  "-c",
  'ip link set lo up 2>/dev/null; exec "$@"',
  "sh",
] as const;

// Where it does not run, the report says so: it needs Linux and the right to make namespaces (root).
describe.runIf(canUnshare())("commands in namespaces of their own, as containers are", () => {
  // From here all servers can be seen, whatever namespace they are in.
  const { command, ready, servers } = embeddedHome();

  test("a HOME whose server can't be reached from here is refused, and its server is left alone", async () => {
    const first = command();
    const address = await first.address;
    const running = servers();
    const refused = /HOME .* is used by .*pid \d+.* in another container.*TEMPORAL_ADDRESS/;
    await expect(command(OWN_NETWORK).address).rejects.toThrow(refused);
    expect(servers()).toEqual(running);
    expect(await ready(address)).toBe(true);
    await first.finish();
    await expect.poll(servers).toEqual([]);
  });

  test("commands of several PID namespaces share a server, and one that is killed whole is found to be dead", async () => {
    const killed = command(OWN_PIDS);
    const address = await killed.address;
    const other = command(OWN_PIDS);
    expect(await other.address).toBe(address);
    await other.finish();
    await killed.kill();
    await expect.poll(servers).toEqual([]);
    const next = command(OWN_PIDS);
    expect(await next.address).toBe(address);
    expect(servers()).toHaveLength(1);
  });
});
