import { expect, test } from "vitest";
import { type FollowUp, followUpJob } from "../../../src/domain/webhooks/event-plan.js";

const asked = (fpId: string, bankLinkId: string | null = null): FollowUp => ({ fpId, bankLinkId });

test.each([
  ["one link", [asked("u", "a")], ["u"], ["a"]],
  ["ten times the same", Array.from({ length: 10 }, () => asked("u", "a")), ["u"], ["a"]],
  [
    "links of several users",
    [asked("v", "b"), asked("u", "a"), asked("u", "c")],
    ["u", "v"],
    ["a", "b", "c"],
  ],
  ["a user without a link named", [asked("u")], ["u"], null],
  ["some with and one without, which is younger", [asked("u", "a"), asked("v")], ["u"], ["a"]],
  ["some with and one without, which is older", [asked("v"), asked("u", "a")], ["v"], null],
  ["a user with and without: all of theirs", [asked("u", "a"), asked("u")], ["u"], null],
  [
    "a user with and without beside another with",
    [asked("v", "b"), asked("u", "a"), asked("u")],
    ["v"],
    ["b"],
  ],
] as const)("%s", (_, followUps, users, links) => {
  const job = followUpJob(followUps, ["transactions"]);
  expect(job.users).toEqual(users);
  expect(job.options).toMatchObject({ streams: ["transactions"], links, full: false });
});

test("every follow-up is one run's, and then there is none left", () => {
  let left = [asked("v", "b"), asked("u", "a"), asked("u"), asked("w"), asked("w", "c")];
  const runs: (readonly [readonly string[], readonly string[] | null])[] = [];
  while (left.length > 0) {
    const { taken, users, options } = followUpJob(left, ["transactions"]);
    // Otherwise this would never end.
    expect(taken).not.toEqual([]);
    runs.push([users, options.links]);
    left = left.filter((one) => !taken.includes(one));
  }
  expect(runs).toEqual([
    [["v"], ["b"]],
    [["u", "w"], null],
  ]);
});
