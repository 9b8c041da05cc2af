import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { WatchEnd } from "../../../src/cli/shell/watch.js";

const never = new Promise<never>(() => undefined);

test("work that ends first gives its result, or its failure", async () => {
  const end = new WatchEnd(never, new AbortController().signal);
  expect(await end.before(Promise.resolve(7))).toBe(7);
  await expect(end.before(Promise.reject(new Error("work")))).rejects.toThrow("work");
});

test("a user who stops ends the wait, and every later one", async () => {
  const user = new AbortController();
  const end = new WatchEnd(never, user.signal);
  const waiting = end.before(never);
  user.abort();
  expect(await waiting).toBeUndefined();
  expect(await end.before(never)).toBeUndefined();
});

test("a lost Temporal fails the wait, and every later one; work that fails afterwards harms nobody", async () => {
  const failing: ((error: Error) => void)[] = [];
  const open = () => new Promise<never>((_, reject) => failing.push(reject));
  const end = new WatchEnd(open(), new AbortController().signal);
  const waiting = end.before(open());
  failing[0]?.(new Error("gone"));
  await expect(waiting).rejects.toThrow("gone");
  await expect(end.before(never)).rejects.toThrow("gone");
  failing[1]?.(new Error("too late"));
  await setImmediate();
});
