import { expect, test } from "vitest";
import { drainQueue } from "../../src/domain/concurrent-work.js";

const TICK = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Works on numbers, each of which may bring others; tells what was done and how many were under way at most. */
async function drain(
  concurrency: number,
  first: readonly number[],
  bringing: (n: number) => readonly number[] = () => [],
  fails: (n: number) => boolean = () => false,
) {
  const queue = [...first];
  const done: number[] = [];
  let [underWay, most] = [0, 0];
  const work = async (n: number) => {
    underWay += 1;
    most = Math.max(most, underWay);
    for (let tick = 0; tick <= n % 3; tick += 1) await TICK();
    queue.push(...bringing(n));
    underWay -= 1;
    done.push(n);
    if (fails(n)) throw new Error(`${n} failed`);
  };
  const ended = drainQueue(concurrency, () => {
    const n = queue.shift();
    return n === undefined ? undefined : () => work(n);
  });
  const error = await ended.then(
    () => undefined,
    (thrown: Error) => thrown.message,
  );
  return { done: done.sort((a, b) => a - b), left: queue, most, error, underWay };
}

const upTo = (n: number) => Array.from({ length: n }, (_, at) => at);
/** A tree: each of a thousand below brings two. */
const children = (n: number) => (n < 500 ? [2 * n + 1, 2 * n + 2] : []);

test.for([
  ["nothing", 4, [], () => [], [], 0],
  ["one thing", 4, [0], () => [], [0], 1],
  ["fewer than may be under way", 4, upTo(3), () => [], upTo(3), 3],
  ["more than may be under way", 4, upTo(50), () => [], upTo(50), 4],
  ["one at a time", 1, upTo(5), () => [], upTo(5), 1],
  ["one that brings one, again and again", 4, [0], (n: number) => (n < 30 ? [n + 1] : []), upTo(31), 1],
  ["one that brings two, as each of these does", 4, [0], children, upTo(1_001), 4],
] as const)("%s", async ([_, concurrency, first, bringing, done, most]) => {
  expect(await drain(concurrency, first, bringing)).toEqual({
    done,
    left: [],
    most,
    error: undefined,
    underWay: 0,
  });
});

test("after a failure nothing more begins, what is under way ends, and the first failure is thrown", async () => {
  const failed = await drain(3, upTo(20), undefined, (n) => n === 2 || n === 4);
  expect(failed).toMatchObject({ done: upTo(6), left: upTo(20).slice(6), error: "2 failed", underWay: 0 });
});

test("what the one that fails has brought is not begun", async () => {
  const failed = await drain(
    4,
    [0],
    (n) => [n + 1],
    (n) => n === 2,
  );
  expect(failed).toMatchObject({ done: [0, 1, 2], left: [3], error: "2 failed" });
});

test("a failure while nothing else is under way wakes those that wait for more", async () => {
  const failed = await drain(8, [0], undefined, () => true);
  expect(failed).toEqual({ done: [0], left: [], most: 1, error: "0 failed", underWay: 0 });
});

test("a queue that fails itself is a failure too", async () => {
  const broken = drainQueue(2, () => {
    throw new Error("no next");
  });
  await expect(broken).rejects.toThrow("no next");
});
