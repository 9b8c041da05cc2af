import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { embeddedHome } from "./embedded-home.js";

const embedded = embeddedHome();
const { acquire, ready, serverPid, servers } = embedded;

/** Kills the server and takes its port, as a thread of it that is still ending does. */
async function takePort(address: string): Promise<Server> {
  process.kill(await serverPid(), "SIGKILL");
  const taken = createServer();
  const listens = () => {
    taken.listen(Number(address.split(":")[1]), "127.0.0.1");
    return once(taken, "listening").then(
      () => true,
      () => false,
    );
  };
  await expect.poll(listens, { interval: 5 }).toBe(true);
  return taken;
}

test("a killed server whose port is still taken for a moment comes back at the same address", async () => {
  const server = await acquire();
  const taken = await takePort(server.address);
  const back = server.ensureRunning();
  const record = () => JSON.parse(readFileSync(join(embedded.home, "server.json"), "utf8"));
  await expect.poll(() => record().isReady).toBe(false);
  taken.close();
  await back;
  expect(await ready(server.address)).toBe(true);
  await server.release();
});

test("a process whose server had to move says so instead of waiting at the old address", async () => {
  const server = await acquire();
  const taken = await takePort(server.address);
  await expect(server.ensureRunning()).rejects.toThrow(
    /^another program took its port \d+.* Give the command again/,
  );
  const next = await acquire();
  expect(next.address).not.toBe(server.address);
  expect(await ready(next.address)).toBe(true);
  await next.release();
  await server.release();
  taken.close();
  expect(servers()).toEqual([]);
});
