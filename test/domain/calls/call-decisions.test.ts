import { describe, expect, it } from "vitest";
import {
  decideAfterFailure,
  decideBeforeSending,
  type FailedRequest,
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
    ["no JSON, nothing tells", failed({ error: "useless" }), undefined, "lost"],
    ["no JSON, sent again", failed({ error: "useless" }), "again", "unusable"],
    ["no JSON, no intent", failed({ error: "useless", isDeclared: false }), undefined, "unusable"],
    ["of another shape, nothing tells", failed({ error: "unfit" }), undefined, "throw"],
  ] as const)("%s, rule %3$s", (_, request, rule, expected) =>
    expect(decideAfterFailure(request, rule)).toBe(expected),
  );
});
