import { expect, test } from "vitest";
import type { DeltaAction } from "../../../../src/lake/delta/delta-actions.js";
import { advance, NO_TABLE, type Snapshot } from "../../../../src/lake/delta/delta-snapshot.js";
import {
  erasedLinks,
  forgetting,
  isForgotten,
  remembering,
  wasForgotten,
} from "../../../../src/lake/sync/forget/forgotten.js";
import { checkpointAction, linkCheckpoint } from "../../../../src/lake/sync/link-checkpoint.js";
import { checkpoint } from "../../../helpers/sync/link-checkpoints.js";

const after = (feed: Snapshot, actions: readonly DeltaAction[]) =>
  advance(feed, [{ version: feed.version + 1, actions }]);
const withLink = (feed: Snapshot, link_id: string, next_sequence: number) =>
  after(feed, [checkpointAction(checkpoint({ link_id, next_sequence, external_id: "C-1" }))]);

test("a person who came back and is forgotten again keeps what was erased at first, of other links too", () => {
  const first = withLink(NO_TABLE, "a", 6);
  const forgotten = after(first, forgetting(first, "u", ["a", "never read"]));
  expect(isForgotten(forgotten, "u")).toBe(true);
  const back = after(forgotten, remembering(forgotten, ["u"]));
  expect([isForgotten(back, "u"), wasForgotten(back, "u")]).toEqual([false, true]);
  const second = withLink(back, "b", 3);
  const again = after(second, forgetting(second, "u", ["b"]));
  expect(isForgotten(again, "u")).toBe(true);
  expect([...erasedLinks(again)]).toEqual([
    { fp_id: "u", link_id: "a", next_sequence: 6 },
    { fp_id: "u", link_id: "b", next_sequence: 3 },
  ]);
});

test("the log no longer says whose link it was, and begins its next reading from nothing", () => {
  const feed = withLink(NO_TABLE, "a", 6);
  const forgotten = after(feed, forgetting(feed, "u", ["a"]));
  expect(linkCheckpoint(forgotten, "a")).toMatchObject({ external_id: null, erased: true, next_sequence: 6 });
});
