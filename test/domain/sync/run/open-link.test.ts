import { expect, test } from "vitest";
import { freshProgress } from "../../../../src/domain/sync/link-progress.js";
import type { LinkOutcome } from "../../../../src/domain/sync/link-reading.js";
import {
  afterSlice,
  fateOf,
  newLink,
  type OpenLink,
  SECOND_TRY_ATTEMPTS,
} from "../../../../src/domain/sync/run/open-link.js";
import { linkResult, NEW, placeIn, SIZE, withPages } from "../../../helpers/sync/slice-results.js";

const OPTIONS = { pageSize: SIZE, jitter: () => 0.5 };
const FRESH = freshProgress(null, SIZE, false);
const LINK: OpenLink = { ...newLink(placeIn(3), NEW, FRESH), manifests: ["m"] };
const fate = (outcome: LinkOutcome, progress = withPages(FRESH, 1), link = LINK) =>
  fateOf(link, { progress, outcome }, 1_000, OPTIONS);

test.for([
  ["open", { kind: "open" }, { kind: "open", link: { complete: false, manifests: ["m"] } }],
  ["complete", { kind: "complete" }, { kind: "open", link: { complete: true, manifests: ["m"] } }],
  ["torn", { kind: "torn" }, { kind: "open", link: { manifests: [], progress: { attempt: 1, pages: 0 } } }],
  ["unauthorized", { kind: "unauthorized" }, { kind: "refused" }],
  ["gone", { kind: "gone" }, { kind: "open", link: { manifests: [], progress: { attempt: 1, pages: 0 } } }],
  ["broken", { kind: "broken", reason: "x" }, { kind: "ended", ended: { status: "failed", reason: "x" } }],
] as const)("an outcome that is %s decides the fate of an open link", ([_, outcome, expected]) => {
  expect(fate(outcome)).toMatchObject(expected);
});

test("a link without history is tried once more, and ends the second time", () => {
  const empty = { ...FRESH, pages: 1 };
  expect(fate({ kind: "complete" }, empty)).toEqual({ kind: "not_ready" });
  const again = newLink(placeIn(3), NEW, { ...FRESH, attempt: SECOND_TRY_ATTEMPTS });
  expect(fate({ kind: "complete" }, { ...empty, attempt: SECOND_TRY_ATTEMPTS }, again)).toMatchObject({
    kind: "ended",
    ended: { link: placeIn(3), status: "not_ready" },
  });
});

test("a slice's journals are noted by folder: where it begins a link, and where it continues one", () => {
  const result = linkResult(placeIn(3), { progress: withPages(FRESH, 2) });
  const begun = afterSlice(undefined, 5, result);
  expect(begun).toMatchObject({ begun: [3, 5], continued: null, inSlice: false });
  expect(afterSlice({ ...begun, progress: FRESH }, 6, result)).toMatchObject({ begun: [3, 5, 6] });
  const continued = afterSlice({ ...begun, inSlice: true }, 7, result);
  expect(continued).toMatchObject({ begun: [3, 5], continued: [7, 7], inSlice: false });
  expect(afterSlice(continued, 9, result).continued).toEqual([7, 9]);
});

test("a link keeps its last failure that was named", () => {
  const failure = { name: { link: "link_0" }, reason: "timeout" };
  const named = afterSlice(undefined, 5, linkResult(placeIn(3), { failure }));
  expect(named.failure).toEqual(failure);
  expect(afterSlice(named, 6, linkResult(placeIn(3))).failure).toEqual(failure);
});
