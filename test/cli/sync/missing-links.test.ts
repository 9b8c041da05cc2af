import { expect, test } from "vitest";
import { missingLinks } from "../../../src/cli/sync/missing-links.js";
import { noTotals } from "../../../src/domain/sync/sync-totals.js";

const links = { ...noTotals().links, synced: 1, failed: 1 };
const streams = ["transactions"];

test("names that were not found are counted", () => {
  const run = { status: "completed", links } as const;
  expect(missingLinks(run, { links: ["a", "b", "c", "a"], streams })).toEqual([
    expect.stringMatching(/^--links names 1 link that this run did not find/),
  ]);
});

test.each([
  ["every name was found", "completed", ["a", "b"], streams],
  ["no link is named", "completed", null, streams],
  ["the run did not end", "cancelled", ["a", "b", "c"], streams],
  ["a run without transactions counts no links", "completed", ["a", "b", "c"], ["accounts"]],
] as const)("nothing is said where %s", (_, status, named, of) => {
  expect(missingLinks({ status, links }, { links: named, streams: of })).toEqual([]);
});
