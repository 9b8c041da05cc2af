import { expect, test } from "vitest";
import { Clock } from "../../sandbox/clock.js";

test("a clock that is moved on does what falls due in its order, each at its own time", () => {
  const clock = new Clock({ now: "2026-11-20T08:00:00Z", frozen: true });
  const done: string[] = [];
  const note = (name: string) => () => {
    done.push(`${name} ${clock.text().slice(17, 19)}`);
  };
  clock.after(3_000, note("c"));
  clock.after(1_000, () => {
    note("a")();
    clock.after(1_000, note("b"));
  });
  clock.after(2_500, note("never"))();
  clock.advance(3_000);
  clock.after(60_000, note("later"));
  expect(done).toEqual(["a 01", "b 02", "c 03"]);
  clock.stop();
  clock.advance(60_000);
  expect(done).toHaveLength(3);
});

test("a clock runs in real time, stops when frozen, and continues from there", async () => {
  const clock = new Clock({ now: "2000-01-01T00:00:00Z" });
  await new Promise<void>((resolve) => void clock.after(20, resolve));
  expect(clock.text()).toMatch(/^2000-01-01T00:00:00/);
  clock.freeze();
  const frozen = clock.now();
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(clock.now()).toBe(frozen);
  const due = new Promise<void>((resolve) => void clock.after(10, resolve));
  clock.thaw();
  await due;
  expect(clock.now()).toBeGreaterThanOrEqual(frozen + 10);
  clock.stop();
});
