import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { backoffMs, SERVICE_RETRY } from "../../../src/domain/backoff.js";
import { freshProgress, type LinkProgress } from "../../../src/domain/sync/link.js";
import { afterOutcome, type LinkOutcome, MOST_RESTARTS } from "../../../src/domain/sync/link-reading.js";

const AT = 1_000_000;
type Start = Parameters<typeof afterOutcome>[1];
const NEW: Start = { base: null };
const STORED: Start = { base: { cursor: "c0" } };
/** Committed, but never given a cursor. */
const CURSORLESS: Start = { base: { cursor: null } };

const first = ({ base }: Start, size: number | null = 500) =>
  freshProgress(base?.cursor ?? null, size, false);
const middle = (base: Start, change: Partial<LinkProgress> = {}): LinkProgress => ({
  ...first(base),
  pages: 2,
  cursor: "c2",
  lastNext: "c2",
  entries: 20,
  created: 20,
  bytes: 999,
  pagesSha256: "abc",
  staged: [0, 60].map((at) => ({ journal: "0/a", at, bytes: 60, sha256: "s", entries: 10 })),
  lastPage: { journal: "0/a", at: 60, bytes: 60, sha256: "s" },
  ...change,
});
const resync = (change: Partial<LinkProgress> = {}): LinkProgress => ({
  ...freshProgress(null, 500, true),
  ...change,
});
const verdictOf = (progress: LinkProgress, base: Start, outcome: LinkOutcome, at = AT) =>
  afterOutcome(progress, base, outcome, 500, at, 0.5);

describe("a refusal of a first page", () => {
  const rejected: LinkOutcome = { kind: "rejected", status: 400 };
  const next = (progress: LinkProgress, base: Start) => {
    const verdict = verdictOf(progress, base, rejected);
    const { stage } = verdict;
    return typeof stage === "object" ? [stage.status, stage.reason] : verdict.progress;
  };

  test.for([
    ["500 rows, new link", first(NEW), NEW, { size: 100, cursor: null, mode: "full" }],
    ["500 rows, stored cursor", first(STORED), STORED, { size: 100, cursor: "c0", mode: "incremental" }],
    [
      "100 rows, stored cursor",
      first(STORED, 100),
      STORED,
      { size: null, cursor: "c0", mode: "incremental" },
    ],
    ["50 rows, stored cursor", first(STORED, 50), STORED, { size: null, cursor: "c0", mode: "incremental" }],
    ["no size, stored cursor", first(STORED, null), STORED, { size: 500, cursor: null, mode: "full" }],
    ["500 rows, resync", resync(), STORED, { size: 100, cursor: null, mode: "full" }],
    [
      "500 rows, known without cursor",
      first(CURSORLESS),
      CURSORLESS,
      { size: 100, cursor: null, mode: "full" },
    ],
  ] as const)("%s: asked again, at once, otherwise", ([, progress, base, expected]) => {
    expect(next(progress, base)).toMatchObject({
      ...expected,
      attempt: 1,
      restarts: 0,
      notBefore: 0,
      pages: 0,
    });
  });

  test.for([
    ["new link", first(NEW, null), NEW],
    ["resync", resync({ size: null }), STORED],
    ["known without cursor", first(CURSORLESS, null), CURSORLESS],
  ] as const)("no size, %s: the link fails", ([, progress, base]) => {
    expect(next(progress, base)).toEqual(["failed", "refused http_400"]);
  });
});

describe("a 404 of a first page", () => {
  const gone: LinkOutcome = { kind: "gone" };

  test("to the stored cursor: the link is read in full, at once, with the size that the run has", () => {
    expect(verdictOf(first(STORED, 100), STORED, gone)).toEqual({
      stage: "reading",
      progress: { ...freshProgress(null, 100, true), attempt: 1 },
    });
  });

  test.for([
    ["new link", first(NEW), NEW],
    ["resync", resync(), STORED],
    ["known without cursor", first(CURSORLESS), CURSORLESS],
  ] as const)("without a cursor, %s: the link is gone", ([, progress, base]) => {
    expect(verdictOf(progress, base, gone)).toEqual({
      stage: { status: "skipped", reason: "link_gone" },
      progress,
    });
  });
});

describe("a refusal in the middle, or a torn page", () => {
  const outcomes: readonly LinkOutcome[] = [
    { kind: "rejected", status: 409 },
    { kind: "gone" },
    { kind: "torn" },
  ];

  test.for([
    ["new link", middle(NEW), NEW, null, "full"],
    ["stored cursor", middle(STORED), STORED, "c0", "incremental"],
    ["resync", middle(STORED, { mode: "full" }), STORED, null, "full"],
  ] as const)(
    "%s: begins again at the update's first cursor, with nothing kept",
    ([, progress, base, cursor, mode]) => {
      for (const outcome of outcomes) {
        const verdict = verdictOf(progress, base, outcome);
        expect(verdict).toEqual({
          stage: "reading",
          progress: {
            ...freshProgress(cursor, 500, mode === "full"),
            mode,
            attempt: 1,
            restarts: 1,
            notBefore: AT + backoffMs(1, 0.5),
          },
        });
      }
    },
  );

  test("five times, with growing waits; a refused update is then read once in full, and the link fails", () => {
    for (const outcome of outcomes) {
      let progress = middle(STORED);
      let waited = 0;
      for (let restart = 1; restart <= MOST_RESTARTS; restart += 1) {
        const verdict = verdictOf(progress, STORED, outcome);
        if (verdict.stage !== "reading") throw new Error("it ended");
        expect(verdict.progress.notBefore - AT).toBeGreaterThan(waited);
        waited = verdict.progress.notBefore - AT;
        progress = { ...verdict.progress, pages: 1 };
      }
      const last = verdictOf(progress, STORED, outcome);
      // A torn page is the disk's fault.
      expect(last).toMatchObject(
        outcome.kind === "torn" ? { stage: { status: "failed" } } : { progress: { mode: "full", pages: 0 } },
      );
      if (last.stage === "reading") progress = { ...last.progress, pages: 1, cursor: "c1" };
      expect(verdictOf(progress, STORED, outcome)).toMatchObject({
        stage: { status: "failed", reason: expect.stringMatching(/after 5 restarts$/) },
      });
    }
  });
});

test.for([
  ["open", { kind: "open" }, { stage: "reading" }],
  ["unauthorized", { kind: "unauthorized" }, { stage: "reading" }],
  [
    "broken",
    { kind: "broken", reason: "cursor_loop" },
    { stage: { status: "failed", reason: "cursor_loop" } },
  ],
] as const satisfies readonly (readonly [string, LinkOutcome, object])[])(
  "%s means the same in every position",
  ([, outcome, expected]) => {
    for (const base of [NEW, STORED, CURSORLESS]) {
      for (const progress of [first(base), middle(base), resync()]) {
        const verdict = verdictOf(progress, base, outcome);
        expect(verdict).toMatchObject(expected);
        expect(verdict.progress).toEqual(progress);
      }
    }
  },
);

test("open continues at once, whatever the link waited for before", () => {
  const verdict = verdictOf(middle(STORED, { notBefore: AT + 5 }), STORED, { kind: "open" });
  expect(verdict.progress).toMatchObject({ notBefore: 0, cursor: "c2", pages: 2 });
});

describe("has_more false", () => {
  test.for([
    ["new link, rows and next", first(NEW), NEW, { entries: 3, lastNext: "c1" }, "read"],
    ["new link, no rows but next", first(NEW), NEW, { entries: 0, lastNext: "c1" }, "read"],
    ["new link, rows but no next", first(NEW), NEW, { entries: 3, lastNext: null }, "read"],
    ["new link, nothing", first(NEW), NEW, { entries: 0, lastNext: null }, "not_ready"],
    ["stored cursor, nothing", first(STORED), STORED, { entries: 0, lastNext: null }, "unchanged"],
    ["stored cursor, rows but no next", first(STORED), STORED, { entries: 3, lastNext: null }, "read"],
    ["resync, rows and next", resync(), STORED, { entries: 3, lastNext: "c1" }, "read"],
    ["resync, rows but no next", resync(), STORED, { entries: 3, lastNext: null }, "failed"],
    ["resync, nothing", resync(), STORED, { entries: 0, lastNext: null }, "failed"],
    ["cursorless, rows, no next", first(CURSORLESS), CURSORLESS, { entries: 3, lastNext: null }, "read"],
    ["cursorless, nothing", first(CURSORLESS), CURSORLESS, { entries: 0, lastNext: null }, "failed"],
    ["cursorless, rows and next", first(CURSORLESS), CURSORLESS, { entries: 3, lastNext: "c" }, "read"],
  ] as const)("%s", ([, progress, base, change, expected]) => {
    const verdict = verdictOf({ ...progress, pages: 1, cursor: "c1", ...change }, base, { kind: "complete" });
    const { stage } = verdict;
    expect(typeof stage === "object" ? stage.status : stage).toBe(expected);
  });
});

describe("a transient failure", () => {
  const transient = (retryAfterMs: number | null = null): LinkOutcome => ({
    kind: "transient",
    reason: "http_503",
    retryAfterMs,
  });

  test("waits and keeps everything that was read", () => {
    const progress = middle(STORED);
    const verdict = verdictOf(progress, STORED, transient());
    expect(verdict).toEqual({
      stage: "reading",
      progress: { ...progress, streak: { count: 1, since: AT }, notBefore: AT + 750 },
    });
  });

  test("Retry-After is obeyed where it is longer, up to an hour", () => {
    const waitOf = (retryAfterMs: number) => {
      const { progress, ...verdict } = verdictOf(first(NEW), NEW, transient(retryAfterMs));
      const { stage } = verdict;
      return typeof stage === "object" ? stage.reason : progress.notBefore - AT;
    };
    expect([10, 60_000, SERVICE_RETRY.until].map(waitOf)).toEqual([750, 60_000, SERVICE_RETRY.until]);
    expect(waitOf(24 * SERVICE_RETRY.until)).toMatch(/^gave_up http_503 until \d{4}-/);
  });

  test("a link that may not be called before some time is not due until then", () => {
    const { progress } = verdictOf(first(NEW), NEW, { kind: "open", waitMs: 9 });
    expect(progress).toEqual({ ...first(NEW), notBefore: AT + 9 });
  });

  test("tries for an hour with waits that grow to fifteen minutes, then gives up with the last reason", () => {
    let progress = middle(STORED);
    let at = AT;
    let tries = 0;
    for (;;) {
      const verdict = verdictOf(progress, STORED, transient(), at);
      if (verdict.stage !== "reading") {
        expect(verdict.stage).toEqual({ status: "failed", reason: "gave_up http_503" });
        break;
      }
      tries += 1;
      expect(verdict.progress.notBefore - at).toBeLessThanOrEqual(SERVICE_RETRY.longest);
      progress = verdict.progress;
      at = progress.notBefore;
    }
    expect(at - AT).toBeGreaterThanOrEqual(SERVICE_RETRY.until);
    expect(at - AT).toBeLessThan(SERVICE_RETRY.until + SERVICE_RETRY.longest);
    expect(tries).toBeGreaterThan(10);
    expect(tries).toBeLessThan(20);
  });

  test("a page read in between begins the hour again", () => {
    const old = middle(STORED, { streak: { count: 9, since: AT - SERVICE_RETRY.until } });
    expect(verdictOf(old, STORED, transient()).stage).toMatchObject({ status: "failed" });
    expect(verdictOf({ ...old, streak: null }, STORED, transient()).stage).toBe("reading");
  });
});

test("whatever the service answers, a link ends: none continues for ever without a success", () => {
  const outcome = fc.oneof(
    fc.constantFrom<LinkOutcome>({ kind: "rejected", status: 400 }, { kind: "gone" }, { kind: "torn" }),
    fc.record({
      kind: fc.constant("transient" as const),
      reason: fc.constant("timeout"),
      retryAfterMs: fc.option(fc.nat(3_600_000)),
    }),
  );
  fc.assert(
    fc.property(
      fc.constantFrom(NEW, STORED, CURSORLESS),
      fc.infiniteStream(fc.tuple(outcome, fc.boolean(), fc.double({ min: 0, max: 0.999, noNaN: true }))),
      (base, outcomes) => {
        let progress = first(base);
        let at = AT;
        for (let step = 0; step < 200; step += 1) {
          const [{ value }] = [outcomes.next()];
          const [what, inTheMiddle, jitter] = value;
          if (inTheMiddle && progress.pages === 0) progress = { ...progress, pages: 1, cursor: "x" };
          const verdict = afterOutcome(progress, base, what, 500, at, jitter);
          if (verdict.stage !== "reading") return;
          expect(verdict.progress.attempt).toBeGreaterThanOrEqual(progress.attempt);
          expect(verdict.progress.notBefore === 0 || verdict.progress.notBefore > at).toBe(true);
          progress = verdict.progress;
          at = Math.max(at, progress.notBefore);
        }
        throw new Error("two hundred outcomes without a success, and the link still continues");
      },
    ),
  );
});
