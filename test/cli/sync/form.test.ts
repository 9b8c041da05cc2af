import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { summaryLines } from "../../../src/cli/shell/summary.js";
import { keptSoFar, keptWords, totalsSoFar } from "../../../src/cli/sync/form.js";
import { syncProblems, syncSummary } from "../../../src/cli/sync/text.js";
import { NO_REASON } from "../../../src/domain/run.js";
import type { SyncSummary } from "../../../src/domain/sync/sync-summary.js";
import { noTotals } from "../../../src/domain/sync/sync-totals.js";
import { createLocalStore } from "../../../src/lake/store/local/local-store.js";
import { addCleaned, Journal } from "../../../src/lake/sync/journal/journal.js";
import type { CommittedByRun } from "../../../src/lake/sync/link-checkpoint.js";
import type { SyncProgress } from "../../../src/workflows/sync/sync.js";

const textOf = (summary: SyncSummary) =>
  summaryLines({ summary: syncSummary, problems: syncProblems }, summary).join("\n");

const quarantine = { new: 0, open: null };

const COMMITTED: CommittedByRun = {
  synced: 2,
  unchanged: 1,
  still_reading: 0,
  created: 40,
  updated: 2,
  removed: 1,
  pages: 3,
  links: new Set(["a", "b", "c"]),
};
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

test("a run that is left says what is safe and what is staged, and no number that is not known yet", () => {
  const progress = { usersTotal: 9, usersDone: 1 } as SyncProgress;
  const kept = { committed: COMMITTED, staged: { pages: 137, links: 1 } };
  expect(keptWords(kept, progress)).toEqual([
    "committed: 3 links with 43 rows, safe in the lake; 1 of 9 users were read",
    "staged: 137 pages of 1 other link, which will not be requested again",
  ]);
  const none = { ...COMMITTED, links: new Set<string>(), created: 0, updated: 0, removed: 0 };
  expect(keptWords({ ...kept, committed: none }, progress)[0]).toBe(
    "committed: nothing yet; 1 of 9 users were read",
  );
  expect(keptWords(kept, undefined)[0]).toBe("committed: 3 links with 43 rows, safe in the lake");
  const summary = {
    run_id: "r",
    status: "paused" as const,
    ...NO_REASON,
    ...totalsSoFar(ENDED, 9, COMMITTED),
  };
  const text = textOf({ ...summary, lists: [], quarantine, duration_ms: 1_200, lake_root: null });
  expect(text).toContain("status    paused after 1.2 s\nusers     9\n");
  expect(text).not.toContain("calls");
});

test("pages that were read and not committed are counted by their names", async () => {
  const directory = await mkdtemp(join(tmpdir(), "nightledger-left-"));
  try {
    const store = createLocalStore(directory);
    const stage = async (runId: string, folder: string, pages: readonly [owner: string, page: number][]) => {
      const journal = new Journal(store, runId, folder);
      const cleaned = await addCleaned(journal, { clean: "{}", bad: [] });
      for (const [owner, page] of pages) {
        const name = { owner, page, attempt: 0, after: "" };
        const list = { ...name, stream: "bank_links", owner: `user of ${owner}` };
        await journal.add({ kind: "page", page: list }, Buffer.from("[]"));
        await journal.add(
          { kind: "page", page: { ...name, stream: "transactions" }, cleaned },
          Buffer.alloc(9_000),
        );
      }
      await journal.addValue("report", {});
      await journal.close();
    };
    await stage("r", "0", [["a", 0]]);
    await stage("r", "7-continued", [
      ["a", 1],
      ["b", 0],
    ]);
    await stage("other", "0", [["a", 0]]);
    expect(await keptSoFar(store, "r")).toMatchObject({
      committed: { synced: 0 },
      staged: { pages: 3, links: 2 },
    });
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});

test("a summary names superseded links where there are some", () => {
  const summary = {
    run_id: "r",
    status: "completed" as const,
    ...NO_REASON,
    ...noTotals(),
    lists: [],
    quarantine,
    duration_ms: 0,
    lake_root: null,
  };
  expect(textOf(summary)).not.toContain("superseded");
  const links = { ...noTotals().links, superseded: 2 };
  expect(textOf({ ...summary, links })).toContain("0 failed, 2 superseded");
});
