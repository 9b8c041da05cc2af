import { readdir, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeEach, expect, test } from "vitest";
import { UnreachableError } from "../../../src/domain/failures.js";
import { acquireLock } from "../../../src/temporal/server/generation-lock.js";
import { identifySelf } from "../../../src/temporal/server/process-identity.js";
import { eachTest, tempDirectory } from "../../helpers/each-test.js";

const temp = eachTest(tempDirectory);
let reports: string[];
const wait = (waitMs = 20_000) => ({
  guards: "the thing",
  waitMs,
  report: (message: string) => void reports.push(message),
});

beforeEach(async () => {
  reports = [];
});

test("only one holds it at a time, and each gets its turn", async () => {
  let holders = 0;
  let turns = 0;
  const turn = async () => {
    const release = await acquireLock(temp.path, wait());
    holders += 1;
    expect(holders).toBe(1);
    await sleep(1);
    turns += 1;
    holders -= 1;
    await release();
  };
  await Promise.all(Array.from({ length: 40 }, turn));
  expect(turns).toBe(40);
  expect((await readdir(temp.path)).length).toBeLessThanOrEqual(17);
});

test("the lock of a process that is gone is taken at once, by one of those that wait", async () => {
  await writeFile(join(temp.path, "7"), JSON.stringify({ ...identifySelf(), started: "another life" }));
  const first = await acquireLock(temp.path, wait(0));
  await expect(acquireLock(temp.path, wait(100))).rejects.toThrow(UnreachableError);
  await first();
});

test("a torn file, as a power failure leaves it, holds nothing", async () => {
  await writeFile(join(temp.path, "3"), "");
  await (await acquireLock(temp.path, wait()))();
});

test("numbers continue as numbers, past 9 and 99", async () => {
  await writeFile(join(temp.path, "99"), JSON.stringify(identifySelf()));
  await writeFile(join(temp.path, "100"), JSON.stringify({ released: true }));
  const release = await acquireLock(temp.path, wait());
  expect(await readdir(temp.path)).toContain("101");
  await release();
});

test("a command that waits long says for whom, and in the end what to do", async () => {
  const release = await acquireLock(temp.path, wait());
  const error = await acquireLock(temp.path, wait(2_300)).catch((failure: unknown) => failure);
  expect((error as Error).message).toMatch(/the thing is held by .*pid \d+.*try again/);
  expect(reports).toEqual([expect.stringMatching(/Waiting for another Nightledger command \(pid \d+\)/)]);
  await release();
});

test("a holder on another machine keeps the lock while it renews it, and loses it some time after", async () => {
  const file = join(temp.path, "7");
  const elsewhere = { pid: process.pid, started: identifySelf().started, place: "another-boot/pid:[1]" };
  await writeFile(file, JSON.stringify(elsewhere));
  // A clock that is far ahead or behind says nothing: only that the file changes.
  let beats = 0;
  const renewing = setInterval(() => {
    beats += 1;
    void utimes(file, beats % 2 ? 1e6 : 4e9, beats % 2 ? 1e6 : 4e9);
  }, 500);
  await expect(acquireLock(temp.path, wait(5_000))).rejects.toThrow(/pid \d+ elsewhere/);
  clearInterval(renewing);
  const stoppedAt = performance.now();
  const release = await acquireLock(temp.path, wait(40_000));
  expect(performance.now() - stoppedAt).toBeGreaterThan(10_000);
  await release();
});

test("a lock that is held long is renewed", async () => {
  const release = await acquireLock(temp.path, wait());
  const file = join(temp.path, "1");
  const { mtimeMs } = await stat(file);
  await expect.poll(async () => (await stat(file)).mtimeMs, { timeout: 10_000 }).toBeGreaterThan(mtimeMs);
  await release();
});
