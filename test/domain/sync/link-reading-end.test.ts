import { describe, expect, test } from "vitest";
import { freshProgress } from "../../../src/domain/sync/link-progress.js";
import { endOfReading } from "../../../src/domain/sync/link-reading.js";

describe("how a slice hands on a link", () => {
  const KNOWN = { cursor: "c", known: true };
  const fresh = freshProgress("c", 500, false);
  const complete = { kind: "complete" } as const;
  test.each([
    ["nothing new, the cursor stayed", fresh, { lastNext: null }, "quiet"],
    ["nothing new, the same cursor again", fresh, { lastNext: "c" }, "quiet"],
    ["nothing new, the cursor moved", fresh, { lastNext: "d" }, "finished"],
    ["rows", fresh, { entries: 3, lastNext: "d" }, "finished"],
    ["a full resync", fresh, { mode: "full", lastNext: "d" }, "finished"],
    ["a full resync without a cursor", fresh, { mode: "full", lastNext: null }, "open"],
    ["nothing new after a restart", { ...fresh, restarts: 1 }, { restarts: 1, lastNext: null }, "open"],
    ["pages of an earlier slice", { ...fresh, pages: 2 }, { entries: 3, lastNext: "d" }, "open"],
  ] as const)("%s", (_, before, change, end) => {
    expect(endOfReading(before, { ...before, pages: before.pages + 1, ...change }, complete, KNOWN)).toBe(
      end,
    );
  });

  test("keeps open what is not complete, and a new link that has nothing yet", () => {
    const read = { ...fresh, pages: 1 };
    expect(endOfReading(fresh, read, { kind: "open" }, KNOWN)).toBe("open");
    const first = freshProgress(null, 500, false);
    const empty = { ...first, pages: 1 };
    expect(endOfReading(first, empty, complete, { cursor: null, known: false })).toBe("open");
  });
});
