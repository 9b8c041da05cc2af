import { describe, expect, test } from "vitest";
import { freshProgress, type LinkProgress } from "../../../src/domain/sync/link.js";
import {
  afterOutcome,
  type LinkOutcome,
  SECOND_TRY_ATTEMPTS,
} from "../../../src/domain/sync/link-reading.js";

describe("a known link whose update is complete", () => {
  const start = { base: { cursor: "c" } };
  const fresh = freshProgress("c", 500, false);
  const resync = { from: 1, bad: [], full: false };
  test.each([
    ["nothing new, the cursor stayed", { lastNext: null }, "unchanged"],
    ["nothing new, the same cursor again", { lastNext: "c" }, "unchanged"],
    ["nothing new after a restart", { restarts: 1, lastNext: null }, "unchanged"],
    ["nothing new, the cursor moved", { lastNext: "d" }, "read"],
    ["rows", { entries: 3, lastNext: "d" }, "read"],
    ["a full resync", { mode: "full", lastNext: "d" }, "read"],
    ["a full resync without a cursor", { mode: "full", lastNext: null }, "failed"],
  ] as const)("%s", (_, change, end) => {
    const progress = { ...fresh, pages: 1, ...change };
    const { stage } = afterOutcome(progress, start, { kind: "complete" }, 500, 0, 0);
    expect(typeof stage === "object" ? stage.status : stage).toBe(end);
  });

  test("nothing new at the end of a resync that was committed in part is committed", () => {
    const base = { cursor: "c", resync };
    expect(afterOutcome(fresh, { base }, { kind: "complete" }, 500, 0, 0).stage).toBe("read");
  });
});

test("a new link that has nothing yet is not ready, and ends so at its second try", () => {
  const read = { ...freshProgress(null, 500, false), pages: 1 };
  const stageOf = (progress: LinkProgress) =>
    afterOutcome(progress, { base: null }, { kind: "complete" }, 500, 0, 0).stage;
  expect(stageOf(read)).toBe("not_ready");
  expect(stageOf({ ...read, attempt: SECOND_TRY_ATTEMPTS })).toMatchObject({ status: "not_ready" });
});

test.each([
  ["a first page", "c0", {}],
  ["a new link's first page", null, {}],
  ["a page in the middle", "c0", { pages: 2 }],
])("401 for the link alone on %s fails it at once", (_, cursor, change) => {
  const progress = { ...freshProgress(cursor, 500, false), ...change };
  const start = { base: cursor === null ? null : { cursor } };
  expect(afterOutcome(progress, start, { kind: "rejected", status: 401 }, 500, 0, 0.5).stage).toEqual({
    status: "failed",
    reason: "refused http_401",
  });
});

describe("a link in error", () => {
  const obstacle = "state error auth_expired";
  type Start = Parameters<typeof afterOutcome>[1];
  const HINDERED: Start = { base: { cursor: "c0" }, obstacle };
  const AT = 10_000_000;
  const first = freshProgress("c0", 500, false);
  const middle = { ...first, pages: 2, cursor: "c2", lastNext: "c2" };
  const verdictOf = (progress: LinkProgress, base: Start, outcome: LinkOutcome) =>
    afterOutcome(progress, base, outcome, 500, AT, 0.5);
  const MINUTES = 60_000;
  const failed: LinkOutcome = { kind: "transient", reason: "http_500", retryAfterMs: null };
  const failing = (minutes: number) => ({
    ...first,
    streak: { count: 3, since: AT - minutes * MINUTES },
  });

  test.for<[string, LinkProgress, LinkOutcome, string]>([
    ["is skipped when it is refused, after one call", first, { kind: "rejected", status: 409 }, "skipped"],
    ["is skipped when its cursor is gone", first, { kind: "gone" }, "skipped"],
    ["is tried again when a call fails", failing(9), failed, "reading"],
    ["is skipped when calls fail for ten minutes", failing(10), failed, "skipped"],
    ["is read as any other once a page came", middle, { kind: "rejected", status: 400 }, "reading"],
    ["publishes what it gave", { ...middle, entries: 1 }, { kind: "complete" }, "read"],
  ])("%s", ([, progress, outcome, kind]) => {
    const verdict = verdictOf(progress, HINDERED, outcome);
    expect(verdict.stage).toEqual(kind === "skipped" ? { status: kind, reason: obstacle } : kind);
    if (outcome === failed && verdict.stage === "reading")
      expect(verdict.progress.givesUpAt).toBe(AT + 1 * MINUTES);
  });

  test("is skipped, and not waited for, where it never gave anything", () => {
    const read = { ...freshProgress(null, 500, false), pages: 1 };
    const start = { base: null, obstacle };
    expect(verdictOf(read, start, { kind: "complete" }).stage).toEqual({
      status: "skipped",
      reason: obstacle,
    });
  });
});
