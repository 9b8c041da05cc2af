import { beforeEach, expect, test } from "vitest";
import { freshProgress, type LinkReading } from "../../../../src/domain/sync/link-progress.js";
import type { LinkOutcome } from "../../../../src/domain/sync/link-reading.js";
import { type Place, placeKey } from "../../../../src/domain/sync/place.js";
import {
  FIRST_LOAD_PAGES,
  LINKS_AT_ONCE,
  LINKS_PER_SLICE,
  LOAD_EVERY_PAGES,
  SLICES_AT_ONCE,
  USERS_AT_ONCE,
} from "../../../../src/domain/sync/run/limits.js";
import type { NumberedWork, ReadSliceResult } from "../../../../src/domain/sync/run/slice-work.js";
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

const stateOf = (users: number, carried?: ReturnType<SyncState["carry"]>) =>
  new SyncState({ users, full: false, pageSize: SIZE, jitter: () => 0.5, now: 0 }, carried);
let state: SyncState;
beforeEach(() => {
  state = stateOf(1);
});

const take = (at = 0): NumberedWork => {
  const work = state.takeSlice(at, 1);
  if (work === undefined) throw new Error("nothing is due");
  return work;
};
/** Ends a slice that read all its users. */
const end = (work: NumberedWork, given: Partial<ReadSliceResult> = {}) => {
  const { from = 0, to = 0 } = work.fresh ?? {};
  state.applySlice(work, sliceResult({ reached: to, usersRead: to - from, ...given }));
};
/** The record of a link; links at multiples of their turn's length are loaded as soon as they may be. */
const TURNS = LOAD_EVERY_PAGES - FIRST_LOAD_PAGES;
const record = (n: number): Place => placeIn(0, n * TURNS);

/** Lets the first slice find links and leave them open. */
function begin(...links: readonly Place[]): void {
  end(take(), { links: links.map((link) => linkResult(link)) });
}

/** Lets a slice read so many pages of each link that is due. */
function read(pages: number, outcome: LinkOutcome = { kind: "open" }, at = 0): LinkReading[] {
  const work = take(at);
  const links = work.links.map(({ link, progress }) =>
    linkResult(link, { progress: withPages(progress, pages, work.slice), outcome }),
  );
  end(work, { links, at });
  return [...work.links];
}
const load = (manifest: string, all = true) => {
  const toLoad = state.takeToLoad(all);
  if (toLoad === undefined) throw new Error("nothing is to be loaded");
  state.applyLoad(toLoad, { manifest, refused: [] }, 0);
  return toLoad;
};

test("a slice has its share of users and links, and a number of its own", () => {
  state = stateOf(10_000);
  expect(state.takeSlice(0, 1 / 4)).toMatchObject({ slice: 0, fresh: { from: 0, to: USERS_AT_ONCE / 4 } });
  expect(state.takeSlice(0, 1)).toMatchObject({ slice: 1, links: [], waiting: [], users: [] });
  state = stateOf(10_000);
  begin(...Array.from({ length: LINKS_PER_SLICE }, (_, n) => record(n)));
  const work = take();
  const links = Math.ceil(LINKS_PER_SLICE / SLICES_AT_ONCE);
  expect(work.links).toHaveLength(links);
  expect(work.fresh).toEqual({ from: USERS_AT_ONCE, to: 2 * USERS_AT_ONCE - links });
});

test("waiting links are begun before further users", () => {
  state = stateOf(5_000);
  end(take(), { report: reportOf(0, { waiting: 120 }) });
  const work = take();
  expect(work.waiting).toEqual([{ report: reportOf(0).place, from: 0, to: 40 }]);
  expect(work.fresh).toEqual({ from: USERS_AT_ONCE, to: 2 * USERS_AT_ONCE - 40 });
});

test("while many links are open no more are begun, and the next one is due when the first of them is", () => {
  state = stateOf(5_000);
  const links = Array.from({ length: LINKS_AT_ONCE }, (_, n) => record(n));
  const outcome = { kind: "transient", reason: "x", retryAfterMs: null } as const;
  end(take(), {
    report: reportOf(0, { waiting: 3 }),
    links: links.map((link) => linkResult(link, { outcome })),
    at: 1_000,
  });
  expect(state.takeSlice(1_000, 1)).toBeUndefined();
  expect(state.nextDue()).toBe(1_750);
  expect(take(1_750)).toMatchObject({ waiting: [], users: [], fresh: null });
});

test("users and links are counted as done when they are at their end", () => {
  state = stateOf(3);
  const outcome = { kind: "failed", reason: "accounts: x" } as const;
  end(take(), {
    usersRead: 2,
    users: [{ progress: freshUser(2), outcome, failed: "fp" }],
    report: reportOf(0, { links: 2, quiet: 3, waiting: 1 }),
    links: [linkResult(record(0), { outcome: { kind: "gone" } }), linkResult(record(1))],
    calls: 7,
  });
  expect(state.figures).toMatchObject({ usersDone: 3, linksFound: 8, linksDone: 6, rowsRead: 20 });
  expect(state.unfinished).toBe(2 + 5);
  expect(state.totals).toMatchObject({
    users: { total: 3, failed: 1 },
    failures: [{ stream: "accounts", owner: "fp", reason: "accounts: x" }],
    calls: 7,
  });
  expect(state.takeToCommit(0)).toMatchObject({
    failed: [{ owner: "fp" }],
    ended: [{ link: record(0), status: "skipped", reason: "link_gone" }],
  });
});

test("a link that is being read counts in part, as far as the pages of those that are done tell", () => {
  const reading = (n: number, pages: number) =>
    linkResult(record(n), { progress: withPages(freshProgress(null, SIZE, false), pages) });
  end(take(), { links: [reading(0, 1), reading(1, 9)] });
  expect(state.figures).toMatchObject({ linksDone: 0, linksRead: 0, pagesRead: 10 });
  const finished = { links: 2, pages: 8, entries: 80, bytes: 800 };
  end(take(), { report: reportOf(1, { finished }), links: [reading(0, 1), reading(1, 9)] });
  expect(state.figures).toMatchObject({ linksDone: 2, pagesRead: 18 });
  expect(state.figures.linksRead).toBeCloseTo(2 + 1 / 4 + 0.9);
});

test("a run whose slice found no place for any call says so, until one does", () => {
  end(take(), { foundNoPlace: true, links: [linkResult(record(0))], at: 1_000 });
  expect(state.figures).toMatchObject({ waits_for_place: true, throttled_until: null });
  end(take(2_000), { at: 2_000, calls: 1 });
  expect(state.figures.waits_for_place).toBe(false);
});

test("a link that failed waits under its name, until a page of it is read", () => {
  const failure = { name: { link: "link_0" }, reason: "timeout" };
  const outcome = { kind: "transient", reason: "timeout", retryAfterMs: null } as const;
  end(take(), { links: [linkResult(record(0), { outcome, failure })], at: 1_000, gateUntil: 9_000 });
  expect(state.figures).toMatchObject({ linksFound: 1, linksDone: 0, rowsRead: 0, waiting_total: 1 });
  expect(state.figures.throttled_until).toBe(new Date(9_000).toISOString());
  expect(only(state.figures.waiting)).toMatchObject({ link: "link_0", reason: "timeout", attempts: 1 });
  const carried = stateOf(1, JSON.parse(JSON.stringify(state.carry())));
  const named = { link: "link_0", reason: "timeout", attempts: 1 };
  expect(carried.figures).toMatchObject({ linksFound: 1, linksDone: 0, waiting_total: 1, waiting: [named] });
  read(1, { kind: "open" }, 2_000);
  expect(state.figures).toMatchObject({ rowsRead: 10, waiting: [], waiting_total: 0, throttled_until: null });
});

test("pages of an unfinished link are loaded when there are enough, the rest at its end", () => {
  begin(record(0));
  read(FIRST_LOAD_PAGES - 1);
  expect(state.takeToLoad(false)).toBeUndefined();
  read(1);
  const first = state.takeToLoad(false);
  expect(only(first?.links ?? [])).toMatchObject({ complete: false, progress: { pages: FIRST_LOAD_PAGES } });
  read(LOAD_EVERY_PAGES - 1);
  expect(state.takeToLoad(false)).toBeUndefined();
  read(1);
  const second = state.takeToLoad(false);
  expect(only(second?.links ?? []).progress.staged).toHaveLength(LOAD_EVERY_PAGES);
  read(1, { kind: "complete" });
  expect(state.takeToLoad(false)).toBeUndefined();
  const rest = state.takeToLoad(true);
  const { progress, complete } = only(rest?.links ?? []);
  const pages = FIRST_LOAD_PAGES + LOAD_EVERY_PAGES;
  expect([complete, progress.staged.length, progress.loaded]).toEqual([
    false,
    1,
    { pages, entries: pages * 10 },
  ]);
  for (const [manifest, toLoad] of Object.entries({ m1: first, m2: second })) {
    if (toLoad !== undefined) state.applyLoad(toLoad, { manifest, refused: [] }, 0);
  }
  expect(state.takeToCommit(0)).toBeUndefined();
  if (rest !== undefined) state.applyLoad(rest, { manifest: "m3", refused: [] }, 0);
  const commit = state.takeToCommit(0);
  expect(commit).toMatchObject({ links: [{ link: record(0) }], manifests: ["m1", "m2", "m3"] });
});

test("links that begin together come to their first load in turn", () => {
  begin(...[0, 1, 2].map((at) => placeIn(0, at)));
  const turns: number[][] = [];
  for (let page = 1; page <= FIRST_LOAD_PAGES + 2; page += 1) {
    read(1);
    turns.push((state.takeToLoad(false)?.links ?? []).map(({ link }) => link.at));
  }
  expect(turns).toEqual([...Array(FIRST_LOAD_PAGES - 1).fill([]), [0], [1], [2]]);
});

test("pages that a slice is reading on are not taken to loading", () => {
  begin(record(0));
  read(LOAD_EVERY_PAGES);
  take();
  expect(state.takeToLoad(true)).toBeUndefined();
});

test("a link found torn while it was loaded begins again: earlier manifests and a slice's late result count no more", () => {
  begin(record(0));
  read(LOAD_EVERY_PAGES);
  const early = state.takeToLoad(false);
  const inSlice = take();
  const { progress } = only(inSlice.links);
  const torn = linkResult(record(0), { progress, outcome: { kind: "torn" } });
  if (early !== undefined) state.applyLoad(early, { manifest: "m1", refused: [torn] }, 0);
  const late = { progress: withPages(progress, 1), outcome: { kind: "complete" } } as const;
  end(inSlice, { links: [linkResult(record(0), late)] });
  expect(state.nextDue()).toBeGreaterThan(0);
  const again = only(read(1, { kind: "complete" }, 10_000));
  expect(again.progress).toMatchObject({ attempt: 1, pages: 0, restarts: 1, cursor: null });
  load("m2");
  expect(state.takeToCommit(0)).toMatchObject({ links: [{ link: record(0) }], manifests: ["m2"] });
});

test("a link whose page can't be loaded fails, and others of the same load continue", () => {
  begin(record(0), record(1));
  read(1, { kind: "complete" });
  const toLoad = state.takeToLoad(true);
  const broken = linkResult(record(0), { outcome: { kind: "broken", reason: "schema x" } });
  if (toLoad !== undefined) state.applyLoad(toLoad, { manifest: "m", refused: [broken] }, 0);
  expect(state.takeToCommit(0)).toMatchObject({
    links: [{ link: record(1) }],
    manifests: ["m"],
    ended: [{ link: record(0), status: "failed", reason: "schema x" }],
  });
});

test("links of a report that can't be loaded are held one by one, and the others are committed", () => {
  const report = reportOf(0, { links: 3 });
  end(take(), { report });
  const toLoad = state.takeToLoad(true);
  const [torn, broken] = [record(0), record(1)];
  const refused = [
    linkResult(torn, { progress: withPages(freshProgress(null, SIZE, false), 1), outcome: { kind: "torn" } }),
    linkResult(broken, { outcome: { kind: "broken", reason: "schema x" } }),
  ];
  if (toLoad !== undefined) state.applyLoad(toLoad, { manifest: "m", refused }, 0);
  expect(state.takeToCommit(0)).toMatchObject({
    loaded: [{ report: report.place, without: [torn, broken].map(placeKey) }],
    ended: [{ link: broken, status: "failed" }],
  });
  expect(state.figures).toMatchObject({ linksFound: 3, linksDone: 2 });
  expect(only(take(10_000).links)).toMatchObject({ link: torn, progress: { attempt: 1, restarts: 1 } });
});

test("a refused key ends the reading; what is complete can still be committed", () => {
  state = stateOf(5_000);
  begin(record(0), record(1));
  const work = take();
  const [a, b] = work.links as [LinkReading, LinkReading];
  end(work, {
    links: [
      linkResult(a.link, { progress: withPages(a.progress, 1), outcome: { kind: "complete" } }),
      linkResult(b.link, { outcome: { kind: "unauthorized" } }),
    ],
  });
  expect([state.unauthorized, state.nextDue(), state.takeSlice(0, 1)]).toEqual([true, undefined, undefined]);
  load("m");
  expect(state.takeToCommit(0)).toMatchObject({ links: [{ link: record(0) }], ended: [] });
  expect([state.tryAgain(), stateOf(5_000, state.carry()).unauthorized]).toEqual([false, true]);
});

test("a user's refused key ends the reading too", () => {
  const users = [{ progress: freshUser(0), outcome: { kind: "unauthorized" }, failed: null }] as const;
  end(take(), { usersRead: 0, users });
  expect([state.unauthorized, state.nextDue(), state.totals.users]).toEqual([
    true,
    undefined,
    { total: 0, failed: 0 },
  ]);
});

test("links that were not ready begin again once all else is done", () => {
  const progress = { ...freshProgress(null, SIZE, false), pages: 1 };
  end(take(), { links: [linkResult(record(0), { progress, outcome: { kind: "complete" } })] });
  expect([state.nextDue(), state.takeToCommit(0), state.figures.linksDone]).toEqual([
    undefined,
    undefined,
    0,
  ]);
  expect(state.takeToDrop()).toEqual([]);
  expect([state.tryAgain(), state.nextDue()]).toEqual([true, 0]);
  const again = take();
  const { progress: second } = only(again.links);
  end(again, {
    links: [linkResult(record(0), { progress: { ...second, pages: 1 }, outcome: { kind: "complete" } })],
  });
  expect(state.takeToDrop()).toEqual(["1", "1-continued"]);
  expect(state.takeToCommit(0)).toMatchObject({ ended: [{ link: record(0), status: "not_ready" }] });
  expect([state.tryAgain(), state.takeToDrop()]).toEqual([false, ["0"]]);
});
