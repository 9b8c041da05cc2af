import { expect, test } from "vitest";
import { endStatus } from "../../../src/domain/sync/sync-summary.js";
import { noTotals } from "../../../src/domain/sync/sync-totals.js";

test.for([
  ["completed", {}, false],
  ["completed", { links: { ...noTotals().links, skipped: 3, not_ready: 1, unchanged: 2 } }, false],
  ["completed_with_failures", { links: { ...noTotals().links, failed: 1 } }, false],
  ["completed_with_failures", { users: { total: 1, failed: 1 } }, false],
  ["completed_with_failures", { rows: { ...noTotals().rows, quarantined: 1 } }, false],
  ["failed", {}, true],
] as const)("a run is %s with %o", ([status, change, unauthorized]) => {
  expect(endStatus({ ...noTotals(), ...change }, unauthorized)).toBe(status);
});
