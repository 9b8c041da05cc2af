import fc from "fast-check";
import { beforeEach, expect, test } from "vitest";
import {
  freshProgress,
  type LinkProgress,
  type LinkReading,
} from "../../../../src/domain/sync/link-progress.js";
import type { LinkOutcome } from "../../../../src/domain/sync/link-reading.js";
import { type Place, placeKey } from "../../../../src/domain/sync/place.js";
import { Links } from "../../../../src/domain/sync/run/links.js";
import type { WaitingLinks } from "../../../../src/domain/sync/run/slice-work.js";
import {
  linkResult,
  NEW,
  only,
  placeIn,
  reportOf,
  SIZE,
  withPages,
} from "../../../helpers/sync/slice-results.js";

const options = { full: false, pageSize: SIZE, jitter: () => 0.5 };
const NONE = { links: [], waiting: [] };
let links: Links;
beforeEach(() => {
  links = new Links(options);
});

/** The record of the n-th link, which slice 0 found. */
const record = (n: number) => placeIn(0, n * 10);

/** Lets slice 0 leave so many links open. */
function begin(count: number, progress = freshProgress(null, SIZE, false)): void {
  const found = Array.from({ length: count }, (_, n) => linkResult(record(n), { progress }));
  links.applySlice(NONE, 0, { report: null, links: found, notBegun: 0, at: 0 });
}

/** Lets a slice say what became of links that it was given. */
function told(
  given: readonly LinkReading[],
  results: readonly LinkReading[],
  at = 0,
  outcome?: LinkOutcome,
  size?: number | null,
) {
  const all = results.map(({ link, progress }) =>
    linkResult(link, { progress, ...(outcome && { outcome }) }),
  );
  return links.applySlice({ links: given, waiting: [] }, 1, {
    ...{ report: null, links: all, notBegun: 0, at },
    ...(size !== undefined && { size }),
  });
}

const due = (at = 0) => links.takeDue(at, 1_000);
const recordsOf = (taken: readonly { link: Place }[]) => taken.map(({ link }) => link.at / 10);
const waitingOf = (slice: number, from: number, to: number): WaitingLinks => {
  return { report: reportOf(slice).place, from, to };
};
/** Lets a slice report so many links that it found and did not begin. */
const find = (slice: number, waiting: number) =>
  links.applySlice(NONE, slice, { report: reportOf(slice, { waiting }), links: [], notBegun: 0, at: 0 });

test("waiting links are taken at most so many, in order, and no more than there are", () => {
  find(0, 5);
  find(1, 2);
  expect([links.state.found, links.unfinished]).toEqual([7, 7]);
  expect(links.takeWaiting(3)).toEqual([waitingOf(0, 0, 3)]);
  expect(links.takeWaiting(3)).toEqual([waitingOf(0, 3, 5), waitingOf(1, 0, 1)]);
  expect(links.takeWaiting(10)).toEqual([waitingOf(1, 1, 2)]);
  expect(links.takeWaiting(10)).toEqual([]);
});

test("waiting links that a slice did not begin come back: the last ones that it was given", () => {
  find(0, 3);
  find(1, 3);
  const waiting = links.takeWaiting(5);
  links.applySlice({ links: [], waiting }, 2, { report: null, links: [], notBegun: 3, at: 0 });
  expect(links.takeWaiting(9)).toEqual([waitingOf(0, 2, 3), waitingOf(1, 0, 2), waitingOf(1, 2, 3)]);
  expect(links.state.found).toBe(4);
});

test("ranges of waiting links are split and given back, and none is lost or doubled", () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 6 }),
      fc.array(fc.record({ most: fc.integer({ min: 1, max: 9 }), back: fc.nat(9) }), { maxLength: 30 }),
      (reports, slices) => {
        links = new Links(options);
        for (const [slice, waiting] of reports.entries()) find(slice, waiting);
        const total = reports.reduce((sum, count) => sum + count, 0);
        const begun: string[] = [];
        for (const { most, back } of [...slices, ...Array(total).fill({ most: 9, back: 0 })]) {
          const waiting = links.takeWaiting(most);
          const each = waiting.flatMap(({ report, from, to }) =>
            Array.from({ length: to - from }, (_, n) => `${placeKey(report)} ${from + n}`),
          );
          expect(each.length).toBeLessThanOrEqual(most);
          const notBegun = Math.min(back, each.length);
          begun.push(...each.slice(0, each.length - notBegun));
          const quiet = each.length - notBegun;
          const report = quiet === 0 ? null : reportOf(99, { quiet });
          links.applySlice({ links: [], waiting }, 99, { report, links: [], notBegun, at: 0 });
          expect(links.state.found).toBe(total);
          expect(links.unfinished).toBe(total - begun.length);
          links = new Links(options, JSON.parse(JSON.stringify(links.carry())));
        }
        const wanted = reports.flatMap((count, slice) =>
          Array.from({ length: count }, (_, n) => `${placeKey(reportOf(slice).place)} ${n}`),
        );
        expect(begun.sort()).toEqual(wanted.sort());
      },
    ),
  );
});

test("two slices never have the same link", () => {
  begin(3);
  const first = links.takeDue(0, 2);
  expect(recordsOf(first)).toEqual([0, 1]);
  const second = due();
  expect(recordsOf(second)).toEqual([2]);
  expect(due()).toEqual([]);
  expect(links.nextDue()).toBeUndefined();
  told(first, first);
  expect(recordsOf(due())).toEqual([0, 1]);
});

test("links with the fewest pages come first, so that none is starved", () => {
  begin(3);
  const given = due();
  const pages = [5, 2, 3];
  told(
    given,
    given.map(({ link, progress }, n) => ({ link, progress: withPages(progress, pages[n] ?? 0) })),
  );
  expect(recordsOf(due())).toEqual([1, 2, 0]);
});

test("a link that waits is due when its time has come, not before", () => {
  begin(1);
  const given = due();
  told(given, given, 1_000, { kind: "transient", reason: "timeout", retryAfterMs: null });
  expect(links.nextDue()).toBe(1_750);
  expect(due(1_749)).toEqual([]);
  expect(due(1_750)).toHaveLength(1);
});

test("a link that waits is due at once where the run is to continue now", () => {
  begin(1);
  const given = due();
  told(given, given, 1_000, { kind: "transient", reason: "timeout", retryAfterMs: null });
  links.tryNow();
  expect(due(1_001)).toHaveLength(1);
});

test("a link that a slice was given and does not name has ended in its report", () => {
  begin(2);
  const given = due();
  const report = reportOf(1, { links: 1 });
  const [, open] = given;
  links.applySlice({ links: given, waiting: [] }, 1, {
    ...{ report, notBegun: 0, at: 0 },
    links: [linkResult(open?.link as Place)],
  });
  expect(recordsOf(links.open)).toEqual([1]);
  expect([links.state.found, links.unfinished]).toEqual([2, 1]);
});

test("pages of a link that a slice continued are known by the slices that read them", () => {
  begin(1);
  for (const slice of [3, 4, 6]) {
    const given = due();
    const results = given.map(({ link, progress }) => linkResult(link, { progress: withPages(progress, 1) }));
    links.applySlice({ links: given, waiting: [] }, slice, {
      report: null,
      links: results,
      notBegun: 0,
      at: 0,
    });
  }
  expect(only(links.open)).toMatchObject({ begun: [0, 0, 3], continued: [4, 6] });
});

test("a refused key drops the link and is told", () => {
  begin(2);
  const [a, b] = due() as [LinkReading, LinkReading];
  expect(told([a], [{ ...a, progress: withPages(a.progress, 1) }])).toBe(false);
  expect(told([b], [b], 0, { kind: "unauthorized" })).toBe(true);
  expect(recordsOf(links.open)).toEqual([0]);
});

/** Lets the one link come to its end without a row. */
function endsEmpty(): void {
  const given = due();
  const results = given.map(({ link, progress }) => ({ link, progress: { ...progress, pages: 1 } }));
  told(given, results, 0, { kind: "complete" });
}

test("not ready is kept for the run's end at the first try, and is the end at the second", () => {
  expect(links.tryAgain(800)).toBe(false);
  begin(1);
  endsEmpty();
  expect([links.state.notReady, links.takeEnded(), links.unfinished]).toEqual([[record(0)], [], 1]);
  expect(links.nextDue()).toBeUndefined();
  expect(links.tryAgain(800)).toBe(true);
  expect([links.state.notReady, links.unfinished, links.nextDue()]).toEqual([[], 1, 0]);
  endsEmpty();
  expect([links.state.notReady, links.unfinished, links.tryAgain(800)]).toEqual([[], 0, false]);
  expect(only(links.takeEnded())).toMatchObject({ link: record(0), status: "not_ready" });
  expect(links.takeEnded()).toEqual([]);
});

test("attempts of a second try are named apart from those of the first", () => {
  begin(1);
  const first = only(links.open).progress.attempt;
  endsEmpty();
  links.tryAgain(800);
  expect(only(due()).progress.attempt).toBeGreaterThan(first + 100);
});

test("a size that worked is the size of the links begun later", () => {
  begin(1);
  const given = due();
  told(given, given, 0, { kind: "rejected", status: 400 });
  expect(links.state.size).toBe(SIZE);
  const again = due();
  expect(only(again).progress).toMatchObject({ size: 100, attempt: 1 });
  told(again, [{ link: record(0), progress: withPages(only(again).progress, 1) }], 0, undefined, 100);
  expect(links.state.size).toBe(100);
  expect(new Links(options, links.carry()).state.size).toBe(100);
});

const complete = (progress: LinkProgress) => ({ progress, outcome: { kind: "complete" } as const });

test("what is carried through continue-as-new is everything, as JSON", () => {
  begin(3);
  find(2, 4);
  const [a, b, c] = due() as [LinkReading, LinkReading, LinkReading];
  const results = [
    linkResult(a.link, { progress: withPages(a.progress, 2) }),
    linkResult(b.link, complete(withPages(b.progress, 1))),
    linkResult(c.link, { outcome: { kind: "gone" } }),
    linkResult(record(7), complete({ ...freshProgress(null, SIZE, false), pages: 1 })),
  ];
  links.applySlice({ links: [a, b, c], waiting: [] }, 1, {
    report: null,
    links: results,
    notBegun: 0,
    at: 0,
  });
  const carried = JSON.parse(JSON.stringify(links.carry())) as ReturnType<Links["carry"]>;
  const next = new Links(options, carried);
  expect(next.carry()).toEqual(links.carry());
  expect([next.state.found, next.unfinished]).toEqual([8, 7]);
  expect(recordsOf(next.complete)).toEqual([1]);
  expect(next.takeDue(0, 10)).toMatchObject([{ link: a.link, progress: { pages: 2 } }]);
  expect(next.takeWaiting(10)).toEqual([waitingOf(2, 0, 4)]);
  expect(next.takeEnded()).toMatchObject([{ link: c.link, status: "skipped", reason: "link_gone" }]);
  expect(next.state.notReady).toEqual([record(7)]);
  expect(only(next.reading).base).toEqual(NEW);
});
