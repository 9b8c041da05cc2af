import { expect, test } from "vitest";
import { freshProgress, handedToLoading, nextAttempt } from "../../../src/domain/sync/link-progress.js";

test.for([
  [null, false, "full", null],
  ["c", false, "incremental", "c"],
  ["c", true, "full", null],
  [null, true, "full", null],
] as const)("a link with cursor %s, full %s, is read %s from %s", ([cursor, full, mode, first]) => {
  expect(freshProgress(1, cursor, 500, full)).toMatchObject({ mode, cursor: first, pages: 0, attempt: 0 });
});

test("a next attempt keeps restarts and failures, and nothing that was read", () => {
  const streak = { count: 2, since: 5 };
  const read = {
    ...freshProgress(1, "c0", 500, false),
    pages: 3,
    entries: 9,
    restarts: 2,
    streak,
    attempt: 4,
  };
  const loaded = handedToLoading({ ...read, pageEntries: [3, 3, 3], pagesSha256: "h" });
  expect(loaded).toMatchObject({ pageEntries: [], loaded: { pages: 3, entries: 9, pagesSha256: "h" } });
  expect(nextAttempt(loaded, { cursor: "c0", size: 100, full: false })).toEqual({
    ...freshProgress(1, "c0", 100, false),
    attempt: 5,
    restarts: 2,
    streak,
  });
});
