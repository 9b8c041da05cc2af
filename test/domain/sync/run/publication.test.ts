import { beforeEach, expect, test } from "vitest";
import { freshProgress } from "../../../../src/domain/sync/link-progress.js";
import {
  COMMIT_EVERY_BYTES,
  COMMIT_EVERY_LINKS,
  COMMIT_EVERY_MS,
  COMMIT_EVERY_OBSERVED_BYTES,
  LOAD_BYTES,
  LOAD_PAGES,
} from "../../../../src/domain/sync/run/limits.js";
import type { OpenLink } from "../../../../src/domain/sync/run/open-link.js";
import { Publication } from "../../../../src/domain/sync/run/publication.js";
import type { ReportRef } from "../../../../src/domain/sync/run/slice-work.js";
import { NEW, placeIn, reportOf, SIZE, withPages } from "../../../helpers/sync/slice-results.js";

const FAILED = { stream: "accounts", owner: "fp_1", reason: "accounts: refused http_400" };
let publication: Publication;
beforeEach(() => {
  publication = new Publication(0);
});

/** A complete link of so many bytes, with the manifests that hold its rows. */
function completeLink(bytes: number, manifests: string[] = []): OpenLink {
  const progress = { ...withPages(freshProgress(null, SIZE, false), 1), bytes };
  return {
    ...{ link: placeIn(3), base: NEW, progress, manifests, complete: true, loading: 0, inSlice: false },
    ...{ again: false, begun: [3], continued: null },
  };
}

const finishedOf = (change: Partial<ReportRef["finished"]>) => {
  const report = reportOf(0, { links: 1 });
  return { ...report, finished: { ...report.finished, ...change } };
};
const nothing = [[], [], 0] as const;

test("nothing is worth a load or a commit at first, and an empty commit is none", () => {
  expect(publication.isDue(COMMIT_EVERY_MS - 1, [], 0)).toBe(false);
  expect(publication.isWorthLoading([])).toBe(false);
  publication.add(null, 0, []);
  expect(publication.takeToLoad()).toEqual([]);
  expect(publication.takeToCommit(...nothing)).toBeUndefined();
});

test.for([
  ["users", (at: Publication) => at.add(reportOf(0), COMMIT_EVERY_LINKS, [])],
  ["users and failed users", (at: Publication) => at.add(null, COMMIT_EVERY_LINKS - 1, [FAILED])],
  ["quiet links", (at: Publication) => at.add(reportOf(0, { quiet: COMMIT_EVERY_LINKS }), 0, [])],
  ["finished links", (at: Publication) => at.add(finishedOf({ links: COMMIT_EVERY_LINKS }), 0, [])],
  ["bytes", (at: Publication) => at.add(finishedOf({ bytes: COMMIT_EVERY_BYTES }), 0, [])],
  [
    "bytes of lists without a cursor",
    (at: Publication) => {
      at.add(reportOf(0, { observedBytes: 1 }), 1, []);
      at.add(reportOf(1, { observedBytes: COMMIT_EVERY_OBSERVED_BYTES - 1 }), 1, []);
    },
  ],
] as const)("a commit is due after so many %s, and no more once it is taken", ([_, add]) => {
  add(publication);
  expect(publication.isDue(0, [], 0)).toBe(true);
  publication.applyLoad(publication.takeToLoad(), "m", []);
  expect(publication.isDue(0, [], 0)).toBe(true);
  publication.takeToCommit(...nothing);
  expect(publication.isDue(0, [], 0)).toBe(false);
});

test("links that ended with nothing to commit count too", () => {
  expect(publication.isDue(0, [], COMMIT_EVERY_LINKS - 1)).toBe(false);
  expect(publication.isDue(0, [], COMMIT_EVERY_LINKS)).toBe(true);
});

test("a commit is due after so long, counted from the last one", () => {
  expect(publication.isDue(COMMIT_EVERY_MS, [], 0)).toBe(true);
  publication.takeToCommit([], [], 5_000);
  expect(publication.isDue(COMMIT_EVERY_MS, [], 0)).toBe(false);
  expect(publication.isDue(COMMIT_EVERY_MS + 5_000, [], 0)).toBe(true);
});

test("links that are held one by one count as those of reports do", () => {
  expect(publication.isDue(0, [completeLink(COMMIT_EVERY_BYTES)], 0)).toBe(true);
  publication.add(finishedOf({ links: COMMIT_EVERY_LINKS - 1 }), 0, []);
  expect(publication.isDue(0, [], 0)).toBe(false);
  expect(publication.isDue(0, [completeLink(1)], 0)).toBe(true);
});

test.for([
  ["bytes", finishedOf({ bytes: LOAD_BYTES }), []],
  ["pages", finishedOf({ pages: LOAD_PAGES }), []],
  ["bytes together", finishedOf({ bytes: LOAD_BYTES - 1 }), [completeLink(1)]],
  ["pages together", finishedOf({ pages: LOAD_PAGES - 1 }), [completeLink(0)]],
] as const)("finished links are worth a load after so many %s", ([_, report, complete]) => {
  expect(publication.isWorthLoading(complete)).toBe(false);
  publication.add(report, 0, []);
  expect(publication.isWorthLoading(complete)).toBe(true);
  expect(publication.takeToLoad()).toEqual([report]);
  expect(publication.isWorthLoading(complete)).toBe(false);
  expect(publication.takeToLoad()).toEqual([]);
});

test("users and quiet links of a report are committed at once, its finished links once they are loaded", () => {
  const [mixed, quiet] = [reportOf(0, { links: 2, quiet: 3 }), reportOf(1, { quiet: 1 })];
  publication.add(mixed, 4, []);
  publication.add(quiet, 1, [FAILED]);
  expect(publication.takeToLoad()).toEqual([mixed]);
  expect(publication.takeToCommit(...nothing)).toEqual({
    chunk: 0,
    reports: [mixed.place, quiet.place],
    ...{ loaded: [], links: [], manifests: [], ended: [] },
    failed: [FAILED],
  });
  publication.applyLoad([mixed], "m1", ["0/a:10"]);
  const ended = [
    { link: placeIn(4), progress: freshProgress(null, SIZE, false), status: "failed", reason: "x" },
  ] as const;
  const [a, b] = [completeLink(5, ["m0", "m1"]), completeLink(5, ["m2"])];
  const named = [a, b].map(({ link, progress }) => ({ link, progress }));
  expect(publication.takeToCommit([a, b], ended, 0)).toEqual({
    chunk: 1,
    reports: [],
    loaded: [{ report: mixed.place, without: ["0/a:10"] }],
    links: named,
    manifests: ["m1", "m0", "m2"],
    ended,
    failed: [],
  });
  expect(publication.takeToCommit(...nothing)).toBeUndefined();
});

test("a report's slices are needed while it is not loaded, while it is, and until it is committed", () => {
  const report = reportOf(5, { links: 1, slices: [2, 3] });
  const slices = () => [...publication.slices].sort();
  publication.add(report, 1, []);
  publication.takeToCommit(...nothing);
  expect(slices()).toEqual([2, 3, 5]);
  publication.takeToLoad();
  expect(slices()).toEqual([2, 3, 5]);
  publication.applyLoad([report], "m", []);
  expect(slices()).toEqual([2, 3, 5]);
  publication.takeToCommit(...nothing);
  expect(slices()).toEqual([]);
  publication.add(reportOf(6, { quiet: 1, slices: [1] }), 1, []);
  expect(slices()).toEqual([1, 6]);
});

test("entries of finished links count until they are committed, links that ended too", () => {
  const report = reportOf(0, { links: 2, quiet: 3 });
  publication.add(report, 1, []);
  const figures = () => [publication.entries, publication.uncommitted];
  expect(figures()).toEqual([20, 5]);
  publication.takeToLoad();
  expect(figures()).toEqual([20, 5]);
  publication.applyLoad([report], "m", []);
  expect(figures()).toEqual([20, 5]);
  publication.takeToCommit(...nothing);
  // Until it is committed, nothing of it counts as that.
  expect(figures()).toEqual([0, 5]);
  publication.committed();
  expect(figures()).toEqual([0, 0]);
});

test("what is carried through continue-as-new is everything, as JSON", () => {
  const [first, second] = [reportOf(0, { links: 1 }), reportOf(1, { links: 2, quiet: 1 })];
  publication.takeToCommit([completeLink(1)], [], 0);
  publication.committed();
  publication.add(first, 2, []);
  publication.applyLoad(publication.takeToLoad(), "m1", ["k"]);
  publication.add(second, 3, [FAILED]);
  const carried = JSON.parse(JSON.stringify(publication.carry())) as ReturnType<Publication["carry"]>;
  const next = new Publication(0, carried);
  expect(next.carry()).toEqual(publication.carry());
  expect(next.slices).toEqual(publication.slices);
  expect([next.entries, next.uncommitted]).toEqual([publication.entries, publication.uncommitted]);
  expect(next.takeToLoad()).toEqual([second]);
  expect(next.takeToCommit(...nothing)).toMatchObject({
    chunk: 1,
    reports: [first.place, second.place],
    loaded: [{ report: first.place, without: ["k"] }],
    manifests: ["m1"],
    failed: [FAILED],
  });
});
