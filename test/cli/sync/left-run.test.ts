import { expect, test } from "vitest";
import { keptWords, totalsSoFar } from "../../../src/cli/sync/left-run.js";
import { summaryText } from "../../../src/cli/sync/text.js";
import { noTotals } from "../../../src/domain/sync/sync-totals.js";
import type { CommittedByRun } from "../../../src/lake/sync/committed-by-run.js";

const COMMITTED: CommittedByRun = { synced: 2, unchanged: 1, created: 40, updated: 2, removed: 1, pages: 3 };
const ENDED = { ...noTotals(), links: { ...noTotals().links, synced: 1, skipped: 4 } };

test("what the groups under way have committed counts, and what ended groups counted besides stays", () => {
  const totals = totalsSoFar(ENDED, 9, COMMITTED);
  expect(totals).toMatchObject({
    users: { total: 9 },
    links: { synced: 2, unchanged: 1, skipped: 4 },
    rows: { created: 40, updated: 2, removed: 1 },
    pages: 3,
  });
  // Counts that the groups have told are never taken back.
  expect(totalsSoFar({ ...ENDED, pages: 7 }, 9, COMMITTED).pages).toBe(7);
});

test("a run that is left says what was read, what is safe, and no number that is not known yet", () => {
  const progress = {
    runId: "r",
    usersTotal: 9,
    usersDone: 1,
    phase: "reading" as const,
    totals: ENDED,
    groups: [{ group: 1, linksTotal: 9, linksDone: 3, rowsRead: 60 }],
  };
  expect(keptWords(progress as never, COMMITTED)).toEqual([
    "read: 1 of 9 users to their end, 8 links, 60 rows",
    "committed: 3 links with 43 rows, safe in the lake",
    "pages that are not committed yet are staged, and are not asked for again",
  ]);
  expect(keptWords(undefined, { ...COMMITTED, synced: 0, created: 0, updated: 0 })).toEqual([
    "committed: 1 link with 1 row, safe in the lake",
  ]);
  const text = summaryText({
    run_id: "r",
    status: "paused",
    ...totalsSoFar(ENDED, 9, COMMITTED),
    duration_ms: 1_200,
  });
  expect(text).toContain("status    paused after 1.2 s\nusers     9\n");
  expect(text).not.toContain("calls");
});

test("a summary names superseded links where there are some", () => {
  const summary = { run_id: "r", status: "completed" as const, ...noTotals(), duration_ms: 0 };
  expect(summaryText(summary)).not.toContain("superseded");
  const links = { ...noTotals().links, superseded: 2 };
  expect(summaryText({ ...summary, links })).toContain("0 failed, 2 superseded");
});
