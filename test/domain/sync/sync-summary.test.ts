import { expect, test } from "vitest";
import { endStatus, expectedLinks, withUnreadLinks } from "../../../src/domain/sync/sync-summary.js";
import { noTotals, withFailure } from "../../../src/domain/sync/sync-totals.js";

const STOPPED = withFailure(noTotals(), {
  stream: "transactions",
  owner: "reading",
  reason: "StagingLostError: gone",
});

test.for([
  ["completed", {}, false],
  ["completed", { links: { ...noTotals().links, skipped: 3, not_ready: 1, unchanged: 2 } }, false],
  ["completed_with_failures", { links: { ...noTotals().links, failed: 1 } }, false],
  ["completed_with_failures", { users: { total: 1, failed: 1 } }, false],
  ["completed_with_failures", { rows: { ...noTotals().rows, quarantined: 1 } }, false],
  ["failed", {}, true],
  // A night that read nothing, because its staging was gone, counted as one that had completed.
  ["failed", STOPPED, false],
  ["completed_with_failures", { ...STOPPED, links: { ...noTotals().links, synced: 1 } }, false],
] as const)("a run is %s with %o", ([status, change, unauthorized]) => {
  expect(endStatus({ ...noTotals(), ...change }, unauthorized)).toBe(status);
});

test.for([
  ["nothing is found yet", { usersDone: 0, linksFound: 0 }, 0],
  ["no user is read to the end yet: what is found is all that is known", { usersDone: 0, linksFound: 7 }, 7],
  ["the other users are expected to have as many", { usersDone: 100, linksFound: 200 }, 800],
  ["part of a link does not count as a link", { usersDone: 3, linksFound: 1 }, 133],
  ["users without links make the others expect fewer", { usersDone: 200, linksFound: 100 }, 200],
  ["all is done", { usersDone: 400, linksFound: 198 }, 198],
] as const)("%s", ([_, told, links]) => {
  expect(expectedLinks({ usersTotal: 400, ...told })).toBe(links);
});

test.for([
  ["no link is found of three that were known", {}, { known: 3, gone: 3 }, ["no_links_read of 3 known"]],
  ["nothing was known", {}, { known: 0, gone: 0 }, []],
  ["links were not listed at all", {}, undefined, []],
  ["lists were refused, so what they hold is known still", {}, { known: 3, gone: 0 }, []],
  ["links were found, and skipped", { skipped: 1 }, { known: 3, gone: 3 }, []],
] as const)("%s", ([_, links, known, reasons]) => {
  const totals = withUnreadLinks({ ...noTotals(), links: { ...noTotals().links, ...links } }, known);
  expect(totals.failures.map(({ reason }) => reason)).toEqual(reasons);
  expect(endStatus(totals, false)).toBe(reasons.length > 0 ? "completed_with_failures" : "completed");
});
