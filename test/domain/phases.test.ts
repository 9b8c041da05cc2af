import { expect, test } from "vitest";
import { type Phases, shownPhases, withWork } from "../../src/domain/phases.js";

test("a phase lasts from its first piece of work to its last, and the one that writes the row ends with the run", () => {
  let phases: Phases = {};
  for (const [name, began, ended] of [
    ["finishing", 9_000, 9_000],
    ["loading", 2_000, 5_000],
    ["loading", 3_000, 4_000],
    ["reading", 1_000, 8_000],
    ["loading", 6_000, 7_000],
  ] as const)
    phases = withWork(phases, name, began, ended);
  const at = (second: number) => `1970-01-01T00:00:0${second}.000Z`;
  expect(shownPhases(phases, new Date(9_500))).toEqual([
    { phase: "reading", began_at: at(1), ended_at: at(8) },
    { phase: "loading", began_at: at(2), ended_at: at(7) },
    { phase: "finishing", began_at: at(9), ended_at: "1970-01-01T00:00:09.500Z" },
  ]);
});
