import { beforeEach, expect, test } from "vitest";
import type { LinkProgress } from "../../../src/domain/sync/link-progress.js";
import type { LinkOutcome } from "../../../src/domain/sync/link-reading.js";
import { FIRST_LOAD_PAGES, LOAD_EVERY_PAGES } from "../../../src/workflows/policies.js";
import { GroupState } from "../../../src/workflows/sync/group-state.js";

const SIZE = 500;
const options = { full: false, secondTry: false, random: () => 0.5 };
let state: GroupState;

function begin(links: number, change: Partial<typeof options> = {}): GroupState {
  const waiting = Array.from({ length: links }, (_, link) => link);
  return new GroupState(GroupState.begin("plan", waiting, SIZE), { ...options, ...change });
}

function admitAll(most = 400): void {
  const links = state.takeToAdmit(most);
  state.admit({ open: links.map((link) => ({ link, cursor: null, known: false })), skipped: [] });
}

/** What a slice would say of a link that read so many pages of ten rows. */
const read = (progress: LinkProgress, pages: number, outcome: LinkOutcome = { kind: "open" }) => ({
  outcome,
  progress: {
    ...progress,
    pages: progress.pages + pages,
    entries: progress.entries + pages * 10,
    created: progress.created + pages * 10,
    cursor: "c",
    lastNext: "c",
    pageEntries: [...progress.pageEntries, ...Array<number>(pages).fill(10)],
  },
});
const due = (at = 0) => state.takeDue(at, 1_000);
const only = <T>(items: readonly T[]): T => {
  if (items.length !== 1 || items[0] === undefined) throw new Error(`${items.length} items instead of one`);
  return items[0];
};

beforeEach(() => {
  state = begin(1);
});

test("admits at most so many, in order, and no more than are waiting", () => {
  state = begin(5);
  admitAll(3);
  expect(due().map(({ link }) => link)).toEqual([0, 1, 2]);
  expect(state.takeToAdmit(3)).toEqual([]);
  expect(state.takeToAdmit(10)).toEqual([3, 4]);
});

test("a skipped link ends with its reason and is never due", () => {
  state.takeToAdmit(1);
  state.admit({ open: [], skipped: [{ link: 0, reason: "state deleted" }] });
  expect(state.reading).toBe(false);
  expect(state.takeToCommit()).toMatchObject({
    complete: [],
    ended: [{ status: "skipped", reason: "state deleted" }],
  });
  expect(state.takeToCommit()).toBeUndefined();
});

test("two slices never have the same link", () => {
  state = begin(3);
  admitAll();
  const first = state.takeDue(0, 2);
  expect(first.map(({ link }) => link)).toEqual([0, 1]);
  expect(due().map(({ link }) => link)).toEqual([2]);
  expect(due()).toEqual([]);
  state.applySlice([read(first[1] as LinkProgress, 1)], SIZE, 0);
  expect(due().map(({ link }) => link)).toEqual([1]);
});

test("links with the fewest pages come first, so that none is starved", () => {
  state = begin(3);
  admitAll();
  const [a, b, c] = due() as [LinkProgress, LinkProgress, LinkProgress];
  state.applySlice([read(a, 5), read(b, 2), read(c, 3)], SIZE, 0);
  expect(due().map(({ link }) => link)).toEqual([1, 2, 0]);
});

test("a link that waits is due when its time has come, not before", () => {
  admitAll();
  const outcome = { kind: "transient", reason: "timeout", retryAfterMs: null } as const;
  state.applySlice([{ progress: only(due()), outcome }], SIZE, 1_000);
  expect(state.nextDue()).toBe(1_750);
  expect(due(1_749)).toEqual([]);
  expect(due(1_750)).toHaveLength(1);
});

test("a link that failed waits under its name, until a page of it is read", () => {
  admitAll();
  const failure = { name: { link: "link_0" }, reason: "timeout" };
  const outcome = { kind: "transient", reason: "timeout", retryAfterMs: null } as const;
  state.applySlice([{ progress: only(due()), outcome, failure }], SIZE, 1_000);
  expect(state.figures).toMatchObject({ linksTotal: 1, linksDone: 0, rowsRead: 0, waiting_total: 1 });
  expect(only(state.figures.waiting)).toMatchObject({ link: "link_0", reason: "timeout", attempts: 1 });
  const carried = new GroupState(state.carry(), options);
  expect(carried.figures).toEqual(state.figures);
  state.applySlice([read({ ...only(due(2_000)), streak: null }, 1)], SIZE, 2_000);
  expect(state.figures).toMatchObject({ rowsRead: 10, rowsCommitted: 0, waiting: [], waiting_total: 0 });
});

test("pages of an unfinished link are loaded when there are enough, the rest at its end", () => {
  admitAll();
  state.applySlice([read(only(due()), FIRST_LOAD_PAGES - 1)], SIZE, 0);
  expect(state.takeToLoad()).toEqual([]);
  state.applySlice([read(only(due()), 1)], SIZE, 0);
  const first = only(state.takeToLoad());
  expect(first).toMatchObject({ complete: false, progress: { pages: FIRST_LOAD_PAGES } });
  state.applySlice([read(only(due()), LOAD_EVERY_PAGES - 1)], SIZE, 0);
  expect(state.takeToLoad()).toEqual([]);
  state.applySlice([read(only(due()), 1)], SIZE, 0);
  const second = only(state.takeToLoad());
  expect(second.progress.pageEntries).toHaveLength(LOAD_EVERY_PAGES);
  state.applySlice([read(only(due()), 1, { kind: "complete" })], SIZE, 0);
  const rest = only(state.takeToLoad());
  const loaded = FIRST_LOAD_PAGES + LOAD_EVERY_PAGES;
  expect(rest).toMatchObject({ complete: false, progress: { pageEntries: [10] } });
  expect(rest.progress.loaded).toMatchObject({ pages: loaded, entries: loaded * 10 });
  state.applyLoad([first], "m1", [], SIZE, 0);
  state.applyLoad([second], "m2", [], SIZE, 0);
  expect(state.takeToCommit()).toBeUndefined();
  state.applyLoad([rest], "m3", [], SIZE, 0);
  expect(only(state.takeToCommit()?.complete ?? [])).toMatchObject({ manifests: ["m1", "m2", "m3"] });
});

test("links that begin together come to their first load in turn", () => {
  state = begin(3);
  admitAll();
  const turns: number[][] = [];
  for (let page = 1; page <= FIRST_LOAD_PAGES + 2; page += 1) {
    state.applySlice(
      due().map((link) => read(link, 1)),
      SIZE,
      0,
    );
    turns.push(state.takeToLoad().map(({ progress }) => progress.link));
  }
  expect(turns).toEqual([...Array(FIRST_LOAD_PAGES - 1).fill([]), [0], [1], [2]]);
});

test("pages that a slice is reading on are not taken to loading", () => {
  admitAll();
  state.applySlice([read(only(due()), LOAD_EVERY_PAGES)], SIZE, 0);
  due();
  expect(state.takeToLoad()).toEqual([]);
});

test("a link found torn while it was loaded begins anew: earlier manifests and a slice's late result count no more", () => {
  admitAll();
  state.applySlice([read(only(due()), LOAD_EVERY_PAGES)], SIZE, 0);
  const early = only(state.takeToLoad());
  const inSlice = only(due());
  state.applyLoad([early], "m1", [{ link: 0, outcome: { kind: "torn" } }], SIZE, 0);
  state.applySlice([read(inSlice, 1, { kind: "complete" })], SIZE, 0);
  expect(state.reading).toBe(true);
  const again = only(due(10_000));
  expect(again).toMatchObject({ attempt: 1, pages: 0, restarts: 1, cursor: null });
  state.applySlice([read(again, 1, { kind: "complete" })], SIZE, 0);
  const rest = only(state.takeToLoad());
  state.applyLoad([rest], "m2", [], SIZE, 0);
  expect(only(state.takeToCommit()?.complete ?? [])).toMatchObject({ manifests: ["m2"] });
});

test("a link whose page can't be loaded fails, and others of the same load go on", () => {
  state = begin(2);
  admitAll();
  const [a, b] = due() as [LinkProgress, LinkProgress];
  state.applySlice([read(a, 1, { kind: "complete" }), read(b, 1, { kind: "complete" })], SIZE, 0);
  const loads = state.takeToLoad();
  state.applyLoad(loads, "m", [{ link: 0, outcome: { kind: "broken", reason: "schema x" } }], SIZE, 0);
  expect(state.takeToCommit()).toMatchObject({
    complete: [{ progress: { link: 1 }, manifests: ["m"] }],
    ended: [{ progress: { link: 0 }, status: "failed", reason: "schema x" }],
  });
});

test("a refused key ends the reading; what is complete can still be committed", () => {
  state = begin(3);
  admitAll(2);
  const [a, b] = due() as [LinkProgress, LinkProgress];
  state.applySlice(
    [read(a, 1, { kind: "complete" }), { progress: b, outcome: { kind: "unauthorized" } }],
    SIZE,
    0,
  );
  expect(state).toMatchObject({ unauthorized: true, reading: false });
  state.applyLoad(state.takeToLoad(), "m", [], SIZE, 0);
  expect(state.takeToCommit()).toMatchObject({ complete: [{ progress: { link: 0 } }], ended: [] });
});

test("not ready is kept for the run's end at the first try, and is the end at the second", () => {
  const notReady = (given: GroupState) => {
    state = given;
    admitAll();
    const progress = { ...only(due()), pages: 1 };
    state.applySlice([{ progress, outcome: { kind: "complete" } }], SIZE, 0);
    return [state.notReady, state.takeToCommit()?.ended.map(({ status }) => status)];
  };
  expect(notReady(begin(1))).toEqual([[0], undefined]);
  expect(notReady(begin(1, { secondTry: true }))).toEqual([[], ["not_ready"]]);
});

test("attempts of a second try are named apart from those of the first", () => {
  admitAll();
  const first = only(due()).attempt;
  state = begin(1, { secondTry: true });
  admitAll();
  expect(only(due()).attempt).toBeGreaterThan(first + 100);
});

test("a size that worked is the size of the links admitted later", () => {
  state = begin(2);
  admitAll(1);
  const refused = only(due());
  state.applySlice([{ progress: refused, outcome: { kind: "rejected", status: 400 } }], SIZE, 0);
  state.applySlice([read(only(due()), 1)], SIZE, 0);
  expect(state.size).toBe(100);
  admitAll(2);
  expect(due().map(({ link, size }) => [link, size])).toContainEqual([1, 100]);
});

test("what is carried through continue-as-new is everything, as JSON", () => {
  state = begin(3);
  admitAll(2);
  const [a, b] = due() as [LinkProgress, LinkProgress];
  state.applySlice([read(a, 2), read(b, 1, { kind: "complete" })], SIZE, 0);
  const loads = state.takeToLoad();
  state.applyLoad(loads, "m", [], SIZE, 0);
  const carried = JSON.parse(JSON.stringify(state.carry())) as ReturnType<GroupState["carry"]>;
  const next = new GroupState(carried, options);
  expect(next.carry()).toEqual(state.carry());
  expect(next.reading).toBe(true);
  expect(next.takeToCommit()).toMatchObject({ complete: [{ progress: { link: 1 }, manifests: ["m"] }] });
  expect(next.takeDue(0, 10)).toMatchObject([{ link: 0, pages: 2 }]);
  expect(next.takeToAdmit(10)).toEqual([2]);
});
