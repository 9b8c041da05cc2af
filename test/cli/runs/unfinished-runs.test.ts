import { expect, test } from "vitest";
import { leftStatus } from "../../../src/cli/runs/unfinished-runs.js";

const NOW = Date.parse("2026-11-27T02:15:10Z");

// While Temporal's list lags behind, a night that has just begun was called left unfinished.
test.each([
  ["has just begun", "2026-11-27T02:15:00Z", true, "running"],
  ["began a while ago", "2026-11-27T02:14:00Z", true, "lost"],
  ["does not say when it began, as a batch", "", true, "lost"],
  ["has just begun where nobody runs Temporal", "2026-11-27T02:15:00Z", false, "interrupted"],
])("a run that %s and that Temporal does not list", (_, started_at, isAsked, status) => {
  expect(leftStatus({ started_at }, isAsked, NOW)).toBe(status);
});
