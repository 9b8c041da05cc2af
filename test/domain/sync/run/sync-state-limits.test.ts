import { beforeEach, expect, test } from "vitest";
import { freshProgress, type LinkReading } from "../../../../src/domain/sync/link-progress.js";
import {
  COMMIT_EVERY_BYTES,
  COMMIT_EVERY_LINKS,
  COMMIT_EVERY_MS,
  COMMIT_EVERY_OBSERVED_BYTES,
  LINKS_PER_SLICE,
  LOAD_BYTES,
  LOAD_EVERY_PAGES,
  LOAD_PAGES,
  USERS_AT_ONCE,
} from "../../../../src/domain/sync/run/limits.js";
import type { NumberedWork, ReadSliceResult, ReportRef } from "../../../../src/domain/sync/run/slice-work.js";
import { SyncState } from "../../../../src/domain/sync/run/sync-state.js";
import { freshUser } from "../../../../src/domain/sync/user-reading.js";
import {
  linkResult,
  only,
  placeIn,
  reportOf,
  SIZE,
  sliceResult,
  withPages,
} from "../../../helpers/sync/slice-results.js";

const USERS = 3 * USERS_AT_ONCE;
const TIMEOUT = { kind: "transient", reason: "timeout", retryAfterMs: null } as const;
const options = { users: USERS, full: false, pageSize: SIZE, jitter: () => 0.5, now: 0 };

const FAILED = {
  progress: freshUser(0),
  outcome: { kind: "failed", reason: "accounts: x" },
  failed: "fp",
} as const;

let state: SyncState;
beforeEach(() => {
  state = new SyncState(options);
});

const take = (at = 0): NumberedWork => {
  const work = state.takeSlice(at, 1);
  if (work === undefined) throw new Error("nothing is due");
  return work;
};
const end = (work: NumberedWork, given: Partial<ReadSliceResult> = {}) => {
  const { from = 0, to = 0 } = work.fresh ?? {};
  state.applySlice(work, sliceResult({ reached: to, usersRead: to - from, ...given }));
};
/** Lets a slice find so many links and leave them open, with so many pages each. */
const begin = (...pages: readonly number[]) =>
  end(take(), {
    links: pages.map((count, n) =>
      linkResult(placeIn(0, n), { progress: withPages(freshProgress(null, SIZE, false), count) }),
    ),
  });
const finished = (change: Partial<ReportRef["finished"]>) => {
  const report = reportOf(0, { links: 1 });
  return { ...report, finished: { ...report.finished, ...change } };
};

test("links with the fewest pages come first, so that none is starved", () => {
  begin(...Array.from({ length: LINKS_PER_SLICE + 1 }, (_, n) => (n === LINKS_PER_SLICE ? 1 : 2)));
  expect(take().links[0]?.progress.pages).toBe(1);
});

test("what is in a slice is due for no other", () => {
  state = new SyncState({ ...options, users: 1 });
  begin(1);
  take();
  expect([state.takeSlice(0, 1), state.nextDue()]).toEqual([undefined, undefined]);
});

test("users and links that wait are due at once where the run is to continue now", () => {
  state = new SyncState({ ...options, users: 1 });
  const outcome = { ...TIMEOUT, stream: "accounts" } as const;
  const failure = { name: { owner: "fp_1" }, reason: "timeout" };
  end(take(), {
    usersRead: 0,
    users: [{ progress: freshUser(0), outcome, failed: null, failure }],
    links: [
      linkResult(placeIn(0), { outcome: TIMEOUT, failure: { name: { link: "l" }, reason: "timeout" } }),
    ],
    at: 1_000,
  });
  // Each under its name.
  expect(state.figures.waiting).toMatchObject([{ owner: "fp_1" }, { link: "l" }]);
  expect(state.takeSlice(1_001, 1)).toBeUndefined();
  state.tryNow();
  const again = take(1_001);
  expect(again).toMatchObject({ links: [{}], users: [{}] });
  // A link that fails again keeps the name, where the slice does not say it.
  const links = again.links.map(({ link, progress }) => linkResult(link, { progress, outcome: TIMEOUT }));
  end(again, { links, at: 2_000 });
  expect(state.figures.waiting).toMatchObject([{ link: "l", attempts: 2 }]);
});

test("while many users wait, no others are begun, and the next one is due when the first of them is", () => {
  const outcome = { ...TIMEOUT, stream: "accounts" } as const;
  const users = Array.from({ length: USERS_AT_ONCE }, (_, user) => {
    return { progress: freshUser(user), outcome, failed: null };
  });
  const work = state.takeSlice(0, 1) as NumberedWork;
  state.applySlice(work, sliceResult({ users, reached: USERS_AT_ONCE, at: 1_000 }));
  expect([state.takeSlice(1_000, 1), state.nextDue()]).toEqual([undefined, 1_750]);
  expect(take(1_750).users.length).toBeGreaterThan(0);
});

test("a size that worked is the size of the links begun later", () => {
  begin(0);
  end(take(), { size: 100 });
  expect([state.size, new SyncState(options, state.carry()).size]).toEqual([100, 100]);
});

test("manifests of an attempt that was given up are not committed", () => {
  const read = (outcome: "open" | "torn" | "complete", at = 0) => {
    const work = take(at);
    const links = work.links.map(({ link, progress }: LinkReading) =>
      linkResult(link, { progress: withPages(progress, LOAD_EVERY_PAGES), outcome: { kind: outcome } }),
    );
    end(work, { links, at });
  };
  const load = (manifest: string) => {
    const toLoad = state.takeToLoad(true);
    if (toLoad !== undefined) state.applyLoad(toLoad, { manifest, refused: [] }, 0);
  };
  state = new SyncState({ ...options, users: 1 });
  begin(0);
  read("open");
  load("m1");
  read("torn");
  read("complete", 10_000);
  load("m2");
  expect(state.takeToCommit(0)?.manifests).toEqual(["m2"]);
});

test.for<[string, Partial<ReadSliceResult>]>([
  ["users", { report: reportOf(0), usersRead: COMMIT_EVERY_LINKS }],
  ["users, one of whom failed", { report: reportOf(0), usersRead: COMMIT_EVERY_LINKS - 1, users: [FAILED] }],
  ["links without news", { report: reportOf(0, { quiet: COMMIT_EVERY_LINKS }) }],
  ["finished links", { report: finished({ links: COMMIT_EVERY_LINKS }) }],
  ["bytes", { report: finished({ bytes: COMMIT_EVERY_BYTES }) }],
  ["bytes of lists", { report: reportOf(0, { observedBytes: COMMIT_EVERY_OBSERVED_BYTES }) }],
])("a commit is due after so many %s, and no more once it is taken", ([_, result]) => {
  const work = take();
  expect(state.isCommitDue(0)).toBe(false);
  end(work, { usersRead: 0, ...result });
  expect(state.isCommitDue(0)).toBe(true);
  const toLoad = state.takeToLoad(true);
  if (toLoad !== undefined) state.applyLoad(toLoad, { manifest: "m", refused: [] }, 0);
  state.takeToCommit(0);
  expect(state.isCommitDue(0)).toBe(false);
});

test("a commit is due after so long, counted from the last one", () => {
  expect([state.isCommitDue(COMMIT_EVERY_MS - 1), state.isCommitDue(COMMIT_EVERY_MS)]).toEqual([false, true]);
  state.takeToCommit(5_000);
  expect(state.isCommitDue(COMMIT_EVERY_MS)).toBe(false);
});

test.for([
  ["bytes", { bytes: LOAD_BYTES }],
  ["pages", { pages: LOAD_PAGES }],
] as const)("finished links are loaded after so many %s", ([_, much]) => {
  end(take(), { report: finished({}) });
  expect(state.takeToLoad(false)).toBeUndefined();
  const report = finished(much);
  end(take(), { report });
  expect(only(state.takeToLoad(false)?.reports.slice(1) ?? [])).toBe(report);
  expect(state.takeToLoad(false)).toBeUndefined();
});
