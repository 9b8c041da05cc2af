import { describe, expect, test } from "vitest";
import { canUnshare, OWN_PIDS } from "../../helpers/command/namespaces.js";
import { embeddedHome } from "./embedded-home.js";

// Where it does not run, the report says so: it needs Linux and the right to make namespaces (root).
describe.runIf(canUnshare())("commands in PID namespaces of their own, as containers are", () => {
  // From here all servers can be seen, whatever namespace they are in.
  const { command, ready, servers } = embeddedHome();

  test("a HOME that another container uses is refused, and its server is left alone", async () => {
    const first = command(OWN_PIDS);
    const address = await first.address;
    const running = servers();
    const refused = /HOME .* is used by .* in another container.*TEMPORAL_ADDRESS/;
    await Promise.all(
      [command(OWN_PIDS), command()].map(({ address: other }) => expect(other).rejects.toThrow(refused)),
    );
    expect(servers()).toEqual(running);
    expect(await ready(address)).toBe(true);
    await first.finish();
    await expect.poll(servers).toEqual([]);
    const next = command();
    expect(await ready(await next.address)).toBe(true);
    await next.finish();
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
});
