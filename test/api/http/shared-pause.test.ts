import { readdir, utimes } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, test, vi } from "vitest";
import { CallLimiter } from "../../../src/api/http/call-limiter.js";
import { NotSentError } from "../../../src/api/http/errors.js";
import { SharedPause } from "../../../src/api/http/shared-pause.js";
import { eachTest, tempDirectory } from "../../helpers/each-test.js";

const URL = "https://api.example";
const temp = eachTest(tempDirectory);
let directory: string;
beforeEach(async () => {
  directory = join(temp.path, "pauses");
});

test("the longest pause counts, whichever was asked for first", () => {
  const [one, other] = [new SharedPause(directory, URL), new SharedPause(directory, URL)];
  const now = Date.now();
  one.extend(now + 60_000);
  other.extend(now + 5_000);
  expect([one.until(), other.until()]).toEqual([now + 60_000, now + 60_000]);
  expect(new SharedPause(directory, "https://other.example").until()).toBe(0);
});

test("a pause is seen within a millisecond, also in a directory that nobody has changed for long", async () => {
  const [one, other] = [new SharedPause(directory, URL), new SharedPause(directory, URL)];
  const now = Date.now();
  one.extend(now + 5_000);
  await utimes(directory, now / 1000 - 3_600, now / 1000 - 3_600);
  expect([one.until(), one.until()]).toEqual([now + 5_000, now + 5_000]);
  other.extend(now + 60_000);
  await vi.waitUntil(() => one.until() === now + 60_000);
  other.extend(now + 90_000);
  await vi.waitUntil(() => one.until() === now + 90_000);
});

test("a pause that is over is none, and its file is cleared away some time later", async () => {
  const pause = new SharedPause(directory, URL);
  pause.extend(Date.now() - 3_600_000);
  pause.extend(Date.now() - 1);
  expect(pause.until()).toBe(0);
  expect(await readdir(directory)).toHaveLength(1);
});

test("a pause that a clock far ahead wrote keeps nobody waiting for days", () => {
  const pause = new SharedPause(directory, URL);
  pause.extend(Date.now() + 30 * 86_400_000);
  expect(pause.until()).toBe(0);
});

test("where HOME is gone or full there is no pause to share, and nothing fails", () => {
  const pause = new SharedPause(join(temp.path, "gone", "pauses"), URL);
  pause.extend(Date.now() + 1_000);
  expect(pause.until()).toBe(0);
});

test("a call that waits for its turn obeys a pause that another process was asked for", async () => {
  const limiter = new CallLimiter(1, undefined, new SharedPause(directory, URL));
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const running = limiter.run({ operation: "x" }, () => ended);
  const waiting = limiter.run({ operation: "x", notAfter: Date.now() + 5_000 }, async () => undefined);
  new SharedPause(directory, URL).extend(Date.now() + 60_000);
  await vi.waitUntil(() => limiter.stoppedBy(undefined) === "pause");
  await expect(waiting).rejects.toThrow(NotSentError);
  end();
  await running;
});
