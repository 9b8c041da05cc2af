import { expect, test } from "vitest";
import {
  freshProgress,
  handedToLoading,
  type LinkProgress,
  movesMark,
} from "../../../src/domain/sync/link.js";

test.for([
  [null, false, "full", null],
  ["c", false, "incremental", "c"],
  ["c", true, "full", null],
  [null, true, "full", null],
] as const)("a link with cursor %s, full %s, is read %s from %s", ([cursor, full, mode, first]) => {
  expect(freshProgress(cursor, 500, full)).toMatchObject({ mode, cursor: first, pages: 0, attempt: 0 });
});

test("what is handed to loading is counted, and the place of the last page stays", () => {
  const streak = { count: 2, since: 5 };
  const read = {
    ...freshProgress("c0", 500, false),
    pages: 3,
    entries: 9,
    restarts: 2,
    streak,
    attempt: 4,
  };
  const pages = [0, 70, 140].map((at) => ({ journal: "0/a", at, bytes: 70, sha256: "s", entries: 3 }));
  const { entries: _, ...lastPage } = pages[2] as LinkProgress["staged"][number];
  const loaded = handedToLoading({ ...read, staged: pages, lastPage, pagesSha256: "h" });
  // The next page may repeat the last one: its place is kept.
  expect(loaded).toEqual({
    ...read,
    staged: [],
    lastPage,
    loaded: { pages: 3, entries: 9 },
    pagesSha256: "h",
  });
});

test("the mark of a loop moves after pages 1, 2, 4, 8 and so on", () => {
  const moves = Array.from({ length: 1_100 }, (_, at) => at + 1).filter(movesMark);
  expect(moves).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024]);
});
