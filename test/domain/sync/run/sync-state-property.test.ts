import fc from "fast-check";
import { expect, test } from "vitest";
import { ModelledRun } from "../../../helpers/sync/modelled-run.js";

/** Numbers of a seed, the same each time. */
function drawing(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return below <= 1 ? 0 : ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

test("in whatever slices, loads and commits, every user and link ends once, and nothing is dropped that is needed", () => {
  fc.assert(
    fc.property(fc.nat(30), fc.nat(), (users, seed) => {
      const run = new ModelledRun(users, drawing(seed));
      const state = run.finish();
      const names = [
        ...Array.from({ length: users }, (_, user) => `user ${user}`),
        ...Array.from({ length: run.links }, (_, link) => `link ${link}`),
      ];
      expect([...run.ends].sort()).toEqual(names.map((name) => [name, 1]).sort());
      expect(state.unfinished).toBe(0);
      expect(state.totals.users.total).toBe(users);
      expect(state.figures).toMatchObject({ linksFound: run.links, linksDone: run.links, waiting_total: 0 });
      // No journal is left that nothing needs.
      const { journals, slice } = state.carried;
      expect(journals).toEqual({ begun: [], continued: [] });
      expect(run.staging.dropped.size).toBeGreaterThanOrEqual(slice);
    }),
    { numRuns: 150 },
  );
});
