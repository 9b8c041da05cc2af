import { expect, test } from "vitest";
import { syncCounts } from "../../../src/domain/sync/sync-counts.js";
import { noTotals } from "../../../src/domain/sync/sync-totals.js";

const none = { usersTotal: 400, usersDone: 0, totals: noTotals(), linksAgain: 0, groups: [] };
const group = { users: 100, linksTotal: 200, linksDone: 50, rowsRead: 7_000 };
const ended = {
  ...noTotals(),
  links: { synced: 180, unchanged: 10, skipped: 5, not_ready: 0, failed: 3, superseded: 0 },
  rows: { created: 9_000, updated: 50, removed: 10, quarantined: 4 },
};

test.for([
  ["nothing is found yet", {}, { linksDone: 0, linksFound: 0, linksExpected: 0, rows: 0 }],
  [
    "one group has found its links: the other users are expected to have as many",
    { groups: [group] },
    { linksDone: 50, linksFound: 200, linksExpected: 800, rows: 7_000 },
  ],
  [
    "a group that looks for its links says nothing of its users",
    { groups: [group, { ...group, linksTotal: 0, linksDone: 0, rowsRead: 0 }] },
    { linksDone: 50, linksFound: 200, linksExpected: 800, rows: 7_000 },
  ],
  [
    "groups that ended count with every link, those that are tried once more as not done",
    { usersDone: 100, totals: ended, linksAgain: 2, groups: [group] },
    { linksDone: 248, linksFound: 400, linksExpected: 800, rows: 16_060 },
  ],
  [
    "all is done",
    { usersDone: 400, totals: ended },
    { linksDone: 198, linksFound: 198, linksExpected: 198, rows: 9_060 },
  ],
] as const)("%s", ([_, change, counts]) => {
  expect(syncCounts({ ...none, ...change })).toEqual(counts);
});
