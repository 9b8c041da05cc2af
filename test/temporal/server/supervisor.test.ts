import { readdir } from "node:fs/promises";
import { beforeEach, expect, test } from "vitest";
import { identify } from "../../../src/temporal/server/process-identity.js";
import { endProcess } from "../../../src/temporal/server/server-process.js";
import { embeddedHome } from "./embedded-home.js";
import { supervisors } from "./supervisors.js";

const SECONDS = { timeout: 8_000 };
const embedded = embeddedHome("nightledger's home ", async (path) => {
  await expect.poll(() => supervisors(path), SECONDS).toEqual([]);
});
const { acquire, command, ready, servers } = embedded;
let home: string;
beforeEach(() => {
  home = embedded.home;
});

async function killSupervisors(): Promise<void> {
  for (const pid of supervisors(home)) {
    const identity = identify(pid);
    if (identity) await endProcess(identity, 0);
  }
}

test("a kill -9 of the only command ends its server within seconds and leaves no process", async () => {
  const only = command();
  await only.address;
  expect(servers()).toHaveLength(1);
  expect(supervisors(home)).toHaveLength(1);
  await only.kill();
  await expect.poll(servers, SECONDS).toEqual([]);
  await expect.poll(() => supervisors(home), SECONDS).toEqual([]);
});

test("of two commands that share a server the second's death ends it, and not the first's", async () => {
  const first = command();
  const address = await first.address;
  const second = command();
  expect(await second.address).toBe(address);
  await first.kill();
  expect(await ready(address)).toBe(true);
  expect(supervisors(home)).toHaveLength(1);
  await second.kill();
  await expect.poll(servers, SECONDS).toEqual([]);
});

test("where the supervisor was killed the next command starts one for the server that runs", async () => {
  const first = command();
  const address = await first.address;
  await killSupervisors();
  const next = command();
  expect(await next.address).toBe(address);
  expect(supervisors(home)).toHaveLength(1);
  await next.kill();
  expect(await ready(address)).toBe(true);
  await first.kill();
  await expect.poll(servers, SECONDS).toEqual([]);
});

test("a command that runs notices that the supervisor is gone, and starts another", async () => {
  const server = await acquire();
  await killSupervisors();
  await server.ensureRunning();
  expect(supervisors(home)).toHaveLength(1);
  await server.ensureRunning();
  expect(supervisors(home)).toHaveLength(1);
  await server.release();
  expect(servers()).toEqual([]);
  expect(await readdir(home)).not.toContainEqual(expect.stringMatching(/pipe$/));
});

test("the last command ends the server though its supervisor has not read what the command wrote", async () => {
  const server = await acquire();
  const watching = supervisors(home);
  for (const pid of watching) process.kill(pid, "SIGSTOP");
  await server.ensureRunning();
  await server.release();
  expect(servers()).toEqual([]);
  for (const pid of watching) process.kill(pid, "SIGKILL");
});

test("a command that comes while the server of a killed one ends gets a server that stays", async () => {
  for (const delayMs of [0, 5, 20, 80]) {
    const killed = command();
    await killed.address;
    const dying = killed.kill();
    await new Promise((resolve) => setTimeout(resolve, delayMs));
    const next = await acquire();
    await dying;
    expect(await ready(next.address)).toBe(true);
    expect(servers()).toHaveLength(1);
    await next.release();
  }
});

test("a server that was started again is supervised again, by one shell", async () => {
  const server = await acquire();
  for (const { pid } of servers()) process.kill(pid, "SIGKILL");
  await server.ensureRunning();
  await expect.poll(() => supervisors(home), SECONDS).toHaveLength(1);
  await server.release();
});
