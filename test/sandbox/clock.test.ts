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
