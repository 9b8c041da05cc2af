import { describe, expect, test } from "vitest";
import { freshProgress, type LinkProgress } from "../../../src/domain/sync/link-progress.js";
import {
  afterOutcome,
  endOfReading,
  type LinkBase,
  type LinkOutcome,
} from "../../../src/domain/sync/link-reading.js";

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

test.each([
  ["a first page", "c0", {}],
  ["a new link's first page", null, {}],
  ["a page in the middle", "c0", { pages: 2 }],
])("401 for the link alone on %s fails it at once", (_, cursor, change) => {
  const progress = { ...freshProgress(cursor, 500, false), ...change };
  const base = { cursor, known: cursor !== null };
  expect(afterOutcome(progress, base, { kind: "rejected", status: 401 }, 500, 0, 0.5)).toMatchObject({
    kind: "end",
    status: "failed",
    reason: "refused http_401",
  });
});

describe("a link in error", () => {
  const obstacle = "state error auth_expired";
  const HINDERED: LinkBase = { cursor: "c0", known: true, obstacle };
  const AT = 10_000_000;
  const first = freshProgress("c0", 500, false);
  const middle = { ...first, pages: 2, cursor: "c2", lastNext: "c2" };
  const verdictOf = (progress: LinkProgress, base: LinkBase, outcome: LinkOutcome) =>
    afterOutcome(progress, base, outcome, 500, AT, 0.5);
  const MINUTES = 60_000;
  const failed: LinkOutcome = { kind: "transient", reason: "http_500", retryAfterMs: null };
  const failing = (minutes: number) => ({
    ...first,
    streak: { count: 3, since: AT - minutes * MINUTES },
  });

  test.for<[string, LinkProgress, LinkOutcome, string]>([
    ["is skipped when it is refused, after one call", first, { kind: "rejected", status: 409 }, "end"],
    ["is skipped when its cursor is gone", first, { kind: "gone" }, "end"],
    ["is tried again when a call fails", failing(9), failed, "read"],
    ["is skipped when calls fail for ten minutes", failing(10), failed, "end"],
    ["is read as any other once a page came", middle, { kind: "rejected", status: 400 }, "read"],
    ["publishes what it gave", middle, { kind: "complete" }, "publish"],
  ])("%s", ([, progress, outcome, kind]) => {
    const verdict = verdictOf(progress, HINDERED, outcome);
    expect(verdict.kind).toBe(kind);
    if (verdict.kind === "end") expect(verdict).toMatchObject({ status: "skipped", reason: obstacle });
    if (outcome === failed && verdict.kind === "read")
      expect(verdict.progress.givesUpAt).toBe(AT + 1 * MINUTES);
  });

  test("is skipped, and not waited for, where it never gave anything", () => {
    const read = { ...freshProgress(null, 500, false), pages: 1 };
    const base = { cursor: null, known: false, obstacle };
    expect(verdictOf(read, base, { kind: "complete" })).toMatchObject({
      status: "skipped",
      reason: obstacle,
    });
  });
});
