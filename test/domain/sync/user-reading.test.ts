import { expect, test } from "vitest";
import { SERVICE_RETRY } from "../../../src/domain/backoff.js";
import {
  afterUserOutcome,
  freshUser,
  streamOf,
  type UserProgress,
} from "../../../src/domain/sync/user-reading.js";

const PAGE = { journal: "0/a", at: 0, bytes: 90, sha256: "s" };
const FRESH: UserProgress = { ...freshUser(3), staged: [PAGE] };
const OLD: UserProgress = {
  user: 3,
  attempt: 0,
  streak: { count: 9, since: 0 },
  notBefore: 5,
  staged: [PAGE],
};
const transient = { kind: "transient", stream: "accounts", reason: "http_500", retryAfterMs: null } as const;

test.for([
  [{ kind: "open" }, { kind: "again", progress: { ...OLD, notBefore: 0 } }],
  [{ kind: "complete" }, { kind: "done" }],
  [{ kind: "unauthorized" }, { kind: "stop", unauthorized: true }],
  [
    { kind: "unauthorized", mayNot: "list_accounts" },
    { kind: "stop", unauthorized: "list_accounts" },
  ],
  [
    { kind: "failed", reason: "accounts: user not found" },
    { kind: "failed", reason: "accounts: user not found" },
  ],
] as const)("%o", ([outcome, verdict]) => {
  expect(afterUserOutcome(OLD, outcome, 10, 0)).toEqual(verdict);
});

test("a list that moved is read again under the next attempt, five times at most", () => {
  const moved = { kind: "moved", stream: "investments" } as const;
  expect(afterUserOutcome(OLD, moved, 10, 0)).toEqual({
    kind: "again",
    progress: { ...OLD, attempt: 1, notBefore: 0 },
  });
  expect(afterUserOutcome({ ...OLD, attempt: 5 }, moved, 10, 0)).toEqual({
    kind: "failed",
    reason: "investments: list_moved",
  });
});

test("a transient failure waits, and after an hour names stream and reason", () => {
  expect(afterUserOutcome(FRESH, transient, 10, 0)).toEqual({
    kind: "again",
    progress: { user: 3, attempt: 0, streak: { count: 1, since: 10 }, notBefore: 510, staged: [PAGE] },
  });
  expect(afterUserOutcome(OLD, transient, SERVICE_RETRY.until, 0)).toEqual({
    kind: "failed",
    reason: "accounts: gave_up http_500",
  });
});

test.for([
  ["accounts: gave_up http_500", "accounts"],
  ["bank_links: user not found", "bank_links"],
  ["trades: schema a: b", "trades"],
] as const)("%s is a failure of %s", ([reason, stream]) => expect(streamOf(reason)).toBe(stream));
