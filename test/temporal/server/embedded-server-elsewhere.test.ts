import { describe, expect, test } from "vitest";
import { embeddedHome } from "./embedded-home.js";
import { canUnshare, OWN_NETWORK, OWN_PIDS } from "./namespaces.js";

// Where it does not run, the report says so: it needs Linux and the right to make namespaces (root).
describe.runIf(canUnshare())("commands in PID namespaces of their own, as containers are", () => {
  // From here all servers can be seen, whatever namespace they are in.
  const { command, ready, servers } = embeddedHome();

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
      /HOME .* is used by .* another container, and its Temporal server can't be reached/,
    );
    expect(servers()).toEqual(running);
    expect(await ready(address)).toBe(true);
    await first.finish();
  });
});
