import { expect, test } from "vitest";
import { afterItemOutcome, SERVICE_RETRY, UNTRIED } from "../../src/domain/backoff.js";

const FRESH = { ...UNTRIED, item: 3 };
const OLD = { item: 3, streak: { count: 9, since: 0 }, notBefore: 5 };

test.for([
  [{ kind: "open" }, { kind: "again", progress: { ...OLD, notBefore: 0 } }],
  [{ kind: "complete" }, { kind: "done" }],
  [{ kind: "unauthorized" }, { kind: "stop", unauthorized: true }],
  [
    { kind: "failed", reason: "not_found" },
    { kind: "failed", reason: "not_found" },
  ],
] as const)("%o", ([outcome, verdict]) => {
  expect(afterItemOutcome(OLD, outcome, 10, 0)).toEqual(verdict);
});

const transient = { kind: "transient", reason: "http_503", retryAfterMs: null } as const;

test("what passes is waited for, longer where the service says so, and given up after an hour", () => {
  expect(afterItemOutcome(FRESH, transient, 10, 0)).toEqual({
    kind: "again",
    progress: { item: 3, streak: { count: 1, since: 10 }, notBefore: 510 },
  });
  expect(afterItemOutcome(FRESH, { ...transient, retryAfterMs: 60_000 }, 10, 0)).toMatchObject({
    progress: { notBefore: 60_010 },
  });
  expect(afterItemOutcome(OLD, transient, SERVICE_RETRY.until, 0)).toEqual({
    kind: "failed",
    reason: "gave_up http_503",
  });
});
