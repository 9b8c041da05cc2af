import { expect, test } from "vitest";
import { isCheckpointDue, listingOf, NO_TAIL, tailAfter } from "../../../src/lake/delta/log-listing.js";
import { checkpointEntry, commitEntry } from "../../helpers/lake/log/log-entries.js";

test.each([
  { versions: 1, bytes: 3_935_999, checkpointBytes: 0, due: false },
  { versions: 1, bytes: 3_936_000, checkpointBytes: 0, due: true },
  { versions: 62, bytes: 31_000, checkpointBytes: 20_000, due: false },
  { versions: 62, bytes: 32_000, checkpointBytes: 20_000, due: true },
  { versions: 63, bytes: 63_000, checkpointBytes: 6_000_000, due: false },
  { versions: 20, bytes: 4_719_999, checkpointBytes: 6_000_000, due: false },
  { versions: 20, bytes: 4_720_000, checkpointBytes: 6_000_000, due: true },
  { versions: 93, bytes: 93_000, checkpointBytes: 6_000_000, due: true },
  { versions: 400, bytes: 400_000, checkpointBytes: 30_000_000, due: false },
])(
  "$versions versions of $bytes bytes after a checkpoint of $checkpointBytes: due $due",
  ({ due, ...tail }) => {
    expect(isCheckpointDue(tail)).toBe(due);
  },
);

test("without a floor a checkpoint follows each commit of a small table, with an endless one none", () => {
  const tail = { versions: 1, bytes: 100, checkpointBytes: 5_000 };
  expect([isCheckpointDue(tail, 0), isCheckpointDue(tail, Number.POSITIVE_INFINITY)]).toEqual([true, false]);
});

test("a checkpoint of which a file is missing is none, and one of two forms counts once", () => {
  const part = (number: number) => ({ size: 7, part: `.000000000${number}.0000000002` });
  const listing = listingOf([
    checkpointEntry(3, part(1)),
    checkpointEntry(3, part(2)),
    checkpointEntry(4, part(1)),
    checkpointEntry(4, part(2)),
    checkpointEntry(4),
    checkpointEntry(5, part(1)),
    commitEntry(5),
    { ...commitEntry(5), key: "t/_delta_log/_last_checkpoint" },
  ]);
  expect(listing.checkpoints).toEqual([
    { version: 3, parts: 2, bytes: 14 },
    { version: 4, bytes: 10_000 },
  ]);
  expect(listing.checkpointFiles.map(({ version }) => version)).toEqual([3, 3, 4, 4, 4, 5]);
  expect(listing.commits.map(({ version }) => version)).toEqual([5]);
});

test("what follows the newest checkpoint is known from a listing, and from what was known before it", () => {
  const commits = [4, 5, 6].map((version) => commitEntry(version));
  const known = { checkpointBytes: 9, versions: 3, bytes: 300 };
  expect(tailAfter(known, 4, listingOf(commits))).toEqual({ checkpointBytes: 9, versions: 5, bytes: 2_300 });
  const withCheckpoint = listingOf([
    checkpointEntry(4),
    commits[0]!,
    checkpointEntry(5),
    ...commits.slice(1),
  ]);
  const fresh = { checkpointBytes: 10_000, versions: 1, bytes: 1_000 };
  expect(tailAfter(known, 4, withCheckpoint)).toEqual(fresh);
  expect(tailAfter(NO_TAIL, 0, withCheckpoint)).toEqual(fresh);
});
