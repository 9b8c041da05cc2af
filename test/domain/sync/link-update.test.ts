import { expect, test } from "vitest";
import { freshProgress, type LinkProgress } from "../../../src/domain/sync/link.js";
import {
  countProblem,
  loadedRows,
  nextCheckpoint,
  removalProblem,
} from "../../../src/domain/sync/link-update.js";

const NO_ROWS = loadedRows([]);
const rowsOf = (created: number, from: number) => {
  const sequences = { sequence_from: from, sequence_to: from + created - 1 };
  return { created, updated: 0, removed: 0, sign_conflicts: 0, ...sequences };
};
const BASE = {
  ...{ cursor: "c1", external_id: null, generation: 2, next_sequence: 11, head: "h1" },
  ...{ last_page_sha256: null, signs_differ: false },
};
const LINK = { link_id: "link_1", fp_id: "fp_1", external_id: null, started_at: "2026-11-21T02:15:00.000Z" };
const read = (change: Partial<LinkProgress>): LinkProgress => ({
  ...freshProgress("c1", 500, false),
  pages: 1,
  lastNext: "c2",
  pagesSha256: "p",
  ...change,
});

/** The checkpoint after an update of a link that was committed before. */
const checkpointOf = (change: Partial<Parameters<typeof nextCheckpoint>[0]>) =>
  nextCheckpoint({
    ...{ runId: "run", record: { ...LINK, base: BASE }, progress: read({}), generation: 2 },
    ...{ rows: NO_ROWS, rowsSha256: null, quarantined: 0, gone: 0 },
    ...change,
  });

test("rows of files add up, and their sequences span all of them", () => {
  expect(NO_ROWS).toMatchObject({ created: 0, sequence_from: null, sequence_to: null });
  expect(loadedRows([rowsOf(3, 14), rowsOf(2, 8)])).toMatchObject({
    created: 5,
    sequence_from: 8,
    sequence_to: 16,
  });
});

test.for([
  ["all rows are loaded", 5, 0, 5, 0, true],
  ["the others are bad", 5, 2, 3, 2, true],
  ["SQL refused more than the slice did", 5, 0, 3, 2, true],
  ["a row is missing", 5, 0, 4, 0, false],
  ["a row came twice", 5, 0, 6, 0, false],
  ["a bad row was loaded", 5, 1, 5, 0, false],
] as const)("counts of an update: %s", ([_, entries, quarantined, created, bad, isRight]) => {
  const problem = countProblem(read({ entries, quarantined }), rowsOf(created, 1), bad);
  const words = `schema ${created} rows loaded and ${bad} quarantined of ${entries} delivered`;
  expect(problem).toBe(isRight ? null : words);
});

test.for([
  [0, 0, 0, false, null],
  [20, 20, 1, false, null],
  [21, 42, 1, false, null],
  [21, 41, 1, false, "resync_would_remove 21 of 41"],
  [30, 40, 1, true, null],
  // An empty answer with status 200 removed all rows of a link that had few.
  [1, 1, 0, false, "resync_would_remove 1 of 1"],
  [1, 1, 0, true, null],
] as const)(
  "a resync that removes %s of %s rows, and brings %s, --full %s",
  ([gone, known, entries, full, problem]) => {
    expect(removalProblem({ gone, known }, entries, full)).toBe(problem);
  },
);

test.for([
  ["nothing came and the cursor stayed", { lastNext: "c1" }, null],
  ["nothing came and no cursor", { lastNext: null }, null],
  ["the cursor moved", {}, { cursor: "c2", cursor_in: "c1", next_sequence: 11, sequence_from: null }],
] as const)("an update without rows: %s", ([_, change, checkpoint]) => {
  const found = checkpointOf({ progress: read(change) });
  if (checkpoint === null) expect(found).toBeNull();
  else expect(found).toMatchObject(checkpoint);
});

test("a full resync that brings nothing and ends at the cursor from before is a new generation all the same", () => {
  const progress = read({ mode: "full", lastNext: "c1" });
  expect(checkpointOf({ progress, generation: 3 })).toMatchObject({ generation: 3, cursor: "c1" });
});

test("a checkpoint continues the sequences and the chain of the one before", () => {
  expect(
    checkpointOf({ progress: read({ entries: 4, restarts: 1 }), rows: rowsOf(3, 11), quarantined: 1 }),
  ).toMatchObject({
    ...{ run_id: "run", link_id: "link_1", fp_id: "fp_1", generation: 2 },
    ...{ cursor_in: "c1", cursor_out: "c2", cursor: "c2", certificate_prev: "h1" },
    ...{ created: 3, quarantined: 1, sequence_from: 11, sequence_to: 13, next_sequence: 15, restarts: 1 },
  });
});

test("inferred removals come after the rows that were delivered", () => {
  const progress = read({ mode: "full", entries: 2 });
  const rows = rowsOf(2, 11);
  expect(checkpointOf({ progress, generation: 3, rows, gone: 2 })).toMatchObject({
    ...{ generation: 3, cursor_in: null, cursor: "c2", removed: 2 },
    ...{ sequence_from: 11, sequence_to: 14, next_sequence: 15 },
  });
  const alone = checkpointOf({ progress: read({ mode: "full" }), generation: 3, gone: 2 });
  expect(alone).toMatchObject({ sequence_from: 11, sequence_to: 12, next_sequence: 13 });
});

test("a first update begins at sequence 1, without a head before it; without a cursor it is committed all the same", () => {
  const progress = { ...freshProgress(null, 500, false), pages: 1, entries: 2 };
  const record = { ...LINK, base: null };
  expect(checkpointOf({ record, progress, generation: 1, rows: rowsOf(2, 1) })).toMatchObject({
    ...{ cursor: null, certificate_prev: null, sequence_from: 1, next_sequence: 3 },
  });
});

test("once a row of the link had a sign conflict, its checkpoints say so for ever", () => {
  const moved = (signs_differ: boolean, sign_conflicts: number) =>
    checkpointOf({
      record: { ...LINK, base: { ...BASE, signs_differ } },
      rows: { ...NO_ROWS, sign_conflicts },
    });
  expect(moved(false, 0)).not.toHaveProperty("signs_differ");
  expect([moved(true, 0)?.signs_differ, moved(false, 2)?.signs_differ]).toEqual([true, true]);
});
