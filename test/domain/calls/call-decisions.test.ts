import { describe, expect, it, test } from "vitest";
import {
  decideAfterFailure,
  decideBeforeSending,
  type FailedRequest,
  waitAfterUnusable,
} from "../../../src/domain/calls/call-decisions.js";

describe("before a request", () => {
  it.each([
    [false, undefined, "send"],
    [false, "unknown", "send"],
    [true, "again", "send"],
    [true, "lookup", "look up"],
    [true, "unknown", "give up"],
    [true, undefined, "give up"],
  ] as const)("an earlier one: %s, rule %s: %s", (hasEarlier, rule, expected) =>
    expect(decideBeforeSending(hasEarlier, rule)).toBe(expected),
  );
});

describe("after a failed request", () => {
  const failed = (rest: Partial<FailedRequest>): FailedRequest => ({
    ...{ isDeclared: true, sent: true, isRefused: false, error: "other" },
    ...rest,
  });
  it.each([
    ["never sent", failed({ sent: false }), undefined, "retract"],
    ["refused", failed({ isRefused: true }), "again", "retract"],
    ["refused, no intent", failed({ isRefused: true, isDeclared: false }), undefined, "throw"],
    ["no answer, nothing tells", failed({}), undefined, "lost"],
    ["no answer, nothing tells", failed({}), "unknown", "lost"],
    ["no answer, sent again", failed({}), "again", "throw"],
    ["no answer, looked up", failed({}), "lookup", "throw"],
    ["no JSON, nothing tells", failed({ error: "no_json" }), undefined, "lost"],
    ["no JSON, sent again", failed({ error: "no_json" }), "again", "unusable"],
    ["no JSON, no intent", failed({ error: "no_json", isDeclared: false }), undefined, "unusable"],
    ["of another shape, nothing tells", failed({ error: "schema" }), undefined, "throw"],
  ] as const)("%s, rule %3$s", (_, request, rule, expected) =>
    expect(decideAfterFailure(request, rule)).toBe(expected),
  );
});

test("unusable answers are waited for longer and longer, and the fifth is the last", () => {
  expect([1, 2, 3, 4, 5, 6].map(waitAfterUnusable)).toEqual([
    3_000,
    9_000,
    27_000,
    81_000,
    undefined,
    undefined,
  ]);
});
