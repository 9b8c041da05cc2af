import { beforeEach, expect, test } from "vitest";
import { freshProgress } from "../../../../src/domain/sync/link.js";
import {
  COMMIT_EVERY_BYTES,
  COMMIT_EVERY_LINKS,
  COMMIT_EVERY_MS,
  COMMIT_EVERY_OBSERVED_BYTES,
  LINKS_AT_ONCE,
  LINKS_PER_SLICE,
  LOAD_BYTES,
  LOAD_PAGES,
  SLICES_AT_ONCE,
  USERS_AT_ONCE,
} from "../../../../src/domain/sync/run/limits.js";
import type { ReadSliceResult, ReportRef, SliceWork } from "../../../../src/domain/sync/run/slice-work.js";
import { SyncState } from "../../../../src/domain/sync/run/sync-state.js";
import { freshUser } from "../../../../src/domain/sync/user-reading.js";
import {
  linkAfter,
  only,
  placeIn,
  reportOf,
  SIZE,
  sliceResult,
  withPages,
} from "../../../helpers/sync/slice-results.js";

const USERS = 3 * USERS_AT_ONCE;
const TIMEOUT = { kind: "transient", reason: "timeout", retryAfterMs: null } as const;
const options = { users: USERS, full: false, pageSize: SIZE, mostMs: 60_000, now: 0 };

const FAILED = { stream: "accounts", owner: "fp", reason: "accounts: x" };

let state: SyncState;
beforeEach(() => {
  state = new SyncState(options);
});

const take = (at = 0): SliceWork => {
  const work = state.takeSlice(at, 1);
  if (work === undefined) throw new Error("nothing is due");
  return work;
};
const end = (work: SliceWork, given: Partial<ReadSliceResult> = {}) => {
  const { from = 0, to = 0 } = work.fresh ?? {};
  state.applySlice(work, sliceResult({ reached: to, usersRead: to - from, ...given }));
};
/** Lets a slice find so many links and leave them open, with so many pages each. */
const begin = (...pages: readonly number[]) =>
  end(take(), {
    links: pages.map((count, n) =>
      linkAfter(placeIn(0, n), { progress: withPages(freshProgress(null, SIZE, false), count) }),
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

test("while many users wait, no others are begun, and the next one is due when the first of them is", () => {
  const users = Array.from({ length: USERS_AT_ONCE }, (_, user) => {
    return { progress: { ...freshUser(user), notBefore: 1_750 } };
  });
  const work = state.takeSlice(0, 1) as SliceWork;
  state.applySlice(work, sliceResult({ users, reached: USERS_AT_ONCE, at: 1_000 }));
  expect([state.takeSlice(1_000, 1), state.nextDue()]).toEqual([undefined, 1_750]);
  expect(take(1_750).users.length).toBeGreaterThan(0);
});

test.for<[string, Partial<ReadSliceResult>]>([
  ["users", { report: reportOf(0), usersRead: COMMIT_EVERY_LINKS }],
  ["users, one of whom failed", { report: reportOf(0), usersRead: COMMIT_EVERY_LINKS - 1, failed: [FAILED] }],
  ["links without news", { report: reportOf(0, { ended: COMMIT_EVERY_LINKS }) }],
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

test("a slice has its share of users and links", () => {
  state = new SyncState({ ...options, users: 10_000 });
  expect(state.takeSlice(0, 1 / 4)).toMatchObject({ slice: 0, fresh: { from: 0, to: USERS_AT_ONCE / 4 } });
  state = new SyncState({ ...options, users: 10_000 });
  begin(...Array(LINKS_PER_SLICE).fill(0));
  const links = Math.ceil(LINKS_PER_SLICE / SLICES_AT_ONCE);
  const work = take();
  expect(work.links).toHaveLength(links);
  expect(work.fresh).toEqual({ from: USERS_AT_ONCE, to: 2 * USERS_AT_ONCE - links });
});

test("while many links are open no more are begun, and the next one is due when the first of them is", () => {
  const links = Array.from({ length: LINKS_AT_ONCE }, (_, n) =>
    linkAfter(placeIn(0, n), { outcome: TIMEOUT, at: 1_000 }),
  );
  end(take(), { report: reportOf(0, { waiting: 3 }), links, at: 1_000 });
  expect([state.takeSlice(1_000, 1), state.nextDue()]).toEqual([undefined, 1_750]);
  expect(take(1_750)).toMatchObject({ waiting: [], users: [], fresh: null });
});

test("a key that is refused ends the reading, also after it continues as new", () => {
  end(take(), { links: [linkAfter(placeIn(0, 0))], unauthorized: true });
  expect([state.unauthorized, state.nextDue(), state.takeSlice(0, 1)]).toEqual([true, undefined, undefined]);
  expect([state.tryAgain(), new SyncState(options, state.carried).unauthorized]).toEqual([false, true]);
});

/** Lets a slice read so many pages of each link that is due. */
const read = (pages: number, kind: "open" | "torn" | "complete" | typeof TIMEOUT = "open", at = 0) => {
  const work = take(at);
  const outcome = typeof kind === "string" ? { kind } : kind;
  const links = work.links.map(({ link, progress }) =>
    linkAfter(link, { progress: withPages(progress, pages), outcome, at }),
  );
  end(work, { links, at });
};
const load = (manifest: string) => {
  const toLoad = state.takeToLoad(true);
  if (toLoad !== undefined) state.applyLoad(toLoad, { manifest, refused: [] }, 0);
  return toLoad;
};

test.for([
  ["whose update goes on", "open", 60_001, 1, [{ progress: { stillReading: true, pages: 2 } }]],
  ["that fails then", TIMEOUT, 60_001, 1, [{ progress: { stillReading: true, pages: 2 } }]],
  ["that has given nothing", "open", 60_001, 0, []],
  ["not longer", "open", 60_000, 1, []],
] as const)("a link that is read for longer than it may, %s", ([, kind, at, pages, committed]) => {
  state = new SyncState({ ...options, users: 1 });
  begin(pages);
  expect(state.hasBegunAll).toBe(true);
  read(pages, kind, at);
  load("m");
  expect(state.takeToCommit(at)?.links ?? []).toMatchObject(committed);
  expect(state.nextDue() === undefined).toBe(committed.length > 0);
});

test("manifests of an attempt that was given up are not committed", () => {
  state = new SyncState({ ...options, users: 1 });
  begin(0);
  read(COMMIT_EVERY_LINKS);
  expect(load("m1")?.links).toMatchObject([{ stage: "reading" }]);
  read(1, "torn");
  read(1, "complete", 10_000);
  expect(load("m2")?.links).toMatchObject([{ stage: "read", progress: { loaded: { pages: 0 } } }]);
  expect(state.takeToCommit(0)?.manifests).toEqual(["m2"]);
});

test("a complete link whose first pages were loaded before shares no files, and has the manifests of all loads", () => {
  state = new SyncState({ ...options, users: 1 });
  begin(0);
  read(COMMIT_EVERY_LINKS);
  load("m1");
  read(1, "complete");
  expect(load("m2")?.links).toMatchObject([
    { stage: "read", progress: { loaded: { pages: COMMIT_EVERY_LINKS } } },
  ]);
  expect(state.takeToCommit(0)?.manifests).toEqual(["m1", "m2"]);
});

test("pages that a slice is reading on are not taken to loading", () => {
  state = new SyncState({ ...options, users: 1 });
  begin(0);
  read(COMMIT_EVERY_LINKS);
  take();
  expect(state.takeToLoad(true)).toBeUndefined();
});

test("a link that was not ready begins once more when all else is done, and then ends", () => {
  state = new SyncState({ ...options, users: 1 });
  const notReady = (work: SliceWork, link = placeIn(0, 0), attempt = 0) => {
    const progress = { ...freshProgress(null, SIZE, false), pages: 1, attempt };
    end(work, { links: [linkAfter(link, { progress, outcome: { kind: "complete" } })] });
  };
  notReady(take());
  expect([state.nextDue(), state.takeToCommit(0), state.tryAgain()]).toEqual([undefined, undefined, true]);
  const again = take();
  notReady(again, again.links[0]?.link, again.links[0]?.progress.attempt);
  expect(state.takeToCommit(0)).toMatchObject({ links: [{ stage: { status: "not_ready" } }] });
  expect(state.tryAgain()).toBe(false);
});

test("waiting links are begun before further users", () => {
  state = new SyncState({ ...options, users: 5_000 });
  end(take(), { report: reportOf(0, { waiting: 120 }) });
  const work = take();
  expect(work.waiting).toEqual([{ report: reportOf(0).place, from: 0, to: 40 }]);
  expect(work.fresh).toEqual({ from: USERS_AT_ONCE, to: 2 * USERS_AT_ONCE - 40 });
});

test("a link that is found torn while it is loaded begins again: a late load or slice of before counts no more", () => {
  state = new SyncState({ ...options, users: 1 });
  begin(0);
  read(COMMIT_EVERY_LINKS);
  const first = state.takeToLoad(true);
  read(COMMIT_EVERY_LINKS);
  const second = state.takeToLoad(true);
  const inSlice = take();
  const { link, progress } = only(inSlice.links);
  const torn = linkAfter(link, { progress, outcome: { kind: "torn" } });
  if (first !== undefined) state.applyLoad(first, { manifest: "m1", refused: [torn] }, 0);
  if (second !== undefined) state.applyLoad(second, { manifest: "m2", refused: [] }, 0);
  const late = { progress: withPages(progress, 1), outcome: { kind: "complete" } } as const;
  end(inSlice, { links: [linkAfter(link, late)] });
  expect(only(take(10_000).links).progress).toMatchObject({
    attempt: 1,
    pages: 0,
    restarts: 1,
    cursor: null,
  });
});

test("manifests of loads that end after a restart are not committed", () => {
  state = new SyncState({ ...options, users: 1 });
  begin(0);
  read(COMMIT_EVERY_LINKS);
  const early = state.takeToLoad(true);
  read(1, "torn");
  if (early !== undefined) state.applyLoad(early, { manifest: "m1", refused: [] }, 0);
  read(1, "complete", 10_000);
  load("m2");
  expect(state.takeToCommit(0)?.manifests).toEqual(["m2"]);
});

test("a link that failed waits under its name, until a page of it is read", () => {
  state = new SyncState({ ...options, users: 1 });
  const failure = { name: { link: "link_0" }, reason: "timeout" };
  end(take(), { links: [linkAfter(placeIn(0, 0), { outcome: TIMEOUT, failure, at: 1_000 })], at: 1_000 });
  const named = { link: "link_0", reason: "timeout", attempts: 1 };
  const carried = new SyncState(options, JSON.parse(JSON.stringify(state.carried)));
  for (const { figures } of [state, carried]) expect(figures.waiting).toMatchObject([named]);
  read(1, "open", 2_000);
  expect(state.figures.waiting).toEqual([]);
});
