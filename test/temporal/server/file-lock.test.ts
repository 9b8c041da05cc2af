import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { UnreachableError } from "../../../src/domain/failures.js";
import { acquireLock, FileLock, isLocked } from "../../../src/temporal/server/file-lock.js";
import { eachTest, tempDirectory } from "../../helpers/each-test.js";

const temp = eachTest(tempDirectory);
const reports: string[] = [];
const wait = (waitMs = 5_000) => ({
  guards: "the thing",
  waitMs,
  report: (text: string) => void reports.push(text),
});
const path = () => join(temp.path, "made", "lock");

test("only one of many holds the lock at a time", async () => {
  let holders = 0;
  let most = 0;
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      const release = await acquireLock(path(), wait());
      holders += 1;
      most = Math.max(most, holders);
      await new Promise(setImmediate);
      holders -= 1;
      await release();
    }),
  );
  expect(most).toBe(1);
});

test("a lock that stays held is an error that names its holder, and a wait for it is reported", async () => {
  const release = await acquireLock(path(), wait());
  const error = await acquireLock(path(), wait(2_300)).catch((failure: unknown) => failure);
  expect(error).toBeInstanceOf(UnreachableError);
  expect(String(error)).toContain(`(pid ${process.pid})`);
  expect(reports.at(-1)).toContain(`Waiting for another Nightledger command (pid ${process.pid})`);
  await release();
});

test("a child that inherits the lock keeps it when its parent lets go, and a killed one frees it", async () => {
  const lock = await FileLock.open(path());
  expect(await lock.take()).toBe(true);
  const child = spawn("/bin/sleep", ["600"], { stdio: ["ignore", "ignore", "ignore", lock.file.fd] });
  await once(child, "spawn");
  await lock.release();
  expect(await isLocked(path())).toBe(true);
  child.kill("SIGKILL");
  await once(child, "exit");
  expect(await isLocked(path())).toBe(false);
  await (await acquireLock(path(), wait(0)))();
});

test("a file with anything in it, and one that is missing, is free", async () => {
  expect(await isLocked(path())).toBe(false);
  await (await acquireLock(path(), wait(0)))();
  await writeFile(path(), "another life\n");
  await (await acquireLock(path(), wait(0)))();
});

test("an interrupt ends the wait and leaves the lock to its holder", async () => {
  const release = await acquireLock(path(), wait());
  const abort = new AbortController();
  const waiting = acquireLock(path(), { ...wait(60_000), signal: abort.signal });
  abort.abort(new Error("interrupted"));
  await expect(waiting).rejects.toThrow("interrupted");
  expect(await isLocked(path())).toBe(true);
  await release();
});
