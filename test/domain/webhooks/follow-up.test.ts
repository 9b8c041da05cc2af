import { expect, test } from "vitest";
import { type FollowUp, followUpJob } from "../../../src/domain/webhooks/follow-up.js";

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
  ["some with and one without", [asked("u", "a"), asked("v")], ["u", "v"], null],
] as const)("%s", (_, followUps, users, links) => {
  const job = followUpJob(followUps, ["transactions"]);
  expect(job.users).toEqual(users);
  expect(job.options).toMatchObject({ streams: ["transactions"], links, full: false });
});
