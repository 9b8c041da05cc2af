import { expect, test } from "vitest";
import { verdictOf } from "../../../src/cli/board/verdict.js";
import type { LakeStatus } from "../../../src/cli/runs/lake-status.js";
import type { LatestRun } from "../../../src/intake/runs/latest-runs.js";

const NOW = Date.parse("2026-11-21T08:00:00Z");
const RUN = {
  ...{ run_id: "sync-1", kind: "sync", job_id: null, status: "completed", schedule: "nightly" },
  ...{ scheduled_at: null, started_at: "2026-11-21T02:00:00Z", finished_at: "2026-11-21T03:00:00Z" },
  ...{ counts: { links: 120, created: 7, updated: 2, removed: 1 }, options: null, findings: [] },
  ...{ reason: null, message: null, is_open: false },
} as const satisfies LatestRun;
const WELL: Parameters<typeof verdictOf>[0] = {
  no_lake: null,
  latest: [RUN],
  syncs: [RUN],
  unfinished: [],
  hooks: [],
  quarantined: 0,
  stale: { total: 0, links: [] },
};
const NOBODY = { reviews: 0, customer_links: 0, unclear_links: 0 };

test.for([
  ["a good night", WELL, true, "The last sync ended at 2026-11-21T03:00:00Z. Nothing needs you."],
  ["nothing yet", { ...WELL, latest: [], syncs: [] }, false, "Nothing has run yet."],
  [
    "a lake that is gone",
    { ...WELL, no_lake: "/lake does not exist yet; the first sync creates it", latest: [], syncs: [] },
    false,
    "Nothing has run yet. /lake does not exist yet; the first sync creates it.",
  ],
  [
    "a job that is dead for weeks",
    {
      ...WELL,
      latest: [{ ...RUN, started_at: "2026-10-01T02:00:00Z", finished_at: "2026-10-01T03:00:00Z" }],
    },
    false,
    "The last sync ended at 2026-10-01T03:00:00Z. Nothing has run since.",
  ],
  [
    "a failed night",
    { ...WELL, latest: [{ ...RUN, status: "failed", is_open: true }] },
    false,
    "The last sync ended at 2026-11-21T03:00:00Z. Sync nightly failed.",
  ],
  [
    "a failed run that a later one has made good",
    { ...WELL, latest: [RUN, { ...RUN, schedule: null, status: "failed" }] },
    true,
    "The last sync ended at 2026-11-21T03:00:00Z. Nothing needs you.",
  ],
  [
    "everything at once",
    {
      ...WELL,
      unfinished: [{ status: "running" }, { status: "lost" }] as unknown as LakeStatus["unfinished"],
      hooks: [{ about: "sync-1", event: "failed", since: "", reason: "busy", given_up: false }],
      quarantined: 2,
      stale: { total: 1, links: [] },
    },
    false,
    "The last sync ended at 2026-11-21T03:00:00Z. 1 run is in progress. 1 run was left unfinished; 1 message to a hook is late; 2 bad rows wait; 1 link has had no commit for three days.",
  ],
] as const)("%s", ([, status, isWell, sentence]) => {
  expect(verdictOf(status as typeof WELL, NOBODY, NOW)).toMatchObject({ isWell, sentence });
});

test("the numbers are those of the night's sync, which they name", () => {
  const { numbers, word } = verdictOf(WELL, NOBODY, NOW);
  expect(word).toBe("all well");
  expect(numbers.map(({ value }) => value)).toEqual([120, 10, 0, 0]);
  expect(numbers[0]?.label).toBe("links of the sync nightly that ended at 2026-11-21T03:00:00Z");
});

// What ran last counted, such as an import of two rows in the morning or the sync of one user that a webhook asked for.
test.for([
  [
    "an import after it",
    { kind: "import", counts: { users: 2 } },
    [120, "links of the sync nightly that ended at 2026-11-21T03:00:00Z"],
  ],
  [
    "a webhook's sync",
    { counts: { links: 1, users: 1 } },
    [120, "links of the sync nightly that ended at 2026-11-21T03:00:00Z"],
  ],
  [
    "a night that is days ago",
    { counts: { links: 1, users: 1 }, before: "2026-11-18T03:00:00Z" },
    [1, "links of the sync that ended at 2026-11-21T07:00:00Z"],
  ],
] as const)("the numbers are not those of %s", ([, { ...later }, shown]) => {
  const { before = RUN.finished_at, ...given } = { before: undefined, ...later };
  const last = { ...RUN, run_id: "last", schedule: null, finished_at: "2026-11-21T07:00:00Z", ...given };
  const night = { ...RUN, finished_at: before, counts: { ...RUN.counts, users: 50 } };
  const [number] = verdictOf(
    { ...WELL, latest: [last, night], syncs: [last, night].filter(({ kind }) => kind === "sync") },
    NOBODY,
    NOW,
  ).numbers;
  expect([number?.value, number?.label]).toEqual(shown);
});

test("without a sync the numbers are those of the newest run", () => {
  const run = { ...RUN, kind: "import", schedule: null, counts: { users: 7 } };
  const [number] = verdictOf({ ...WELL, latest: [run], syncs: [] }, NOBODY, NOW).numbers;
  expect([number?.value, number?.label]).toEqual([
    7,
    "rows of the import that ended at 2026-11-21T03:00:00Z",
  ]);
});

test("a good night says who still has to act, and is not said to need nobody", () => {
  const waits = { reviews: 2, customer_links: 3, unclear_links: 1 };
  expect(verdictOf(WELL, waits, NOW)).toMatchObject({
    isWell: true,
    word: "nothing failed",
    sentence:
      "The last sync ended at 2026-11-21T03:00:00Z. 2 customers wait for a review; 1 link needs a check in the dashboard; 3 links wait for their customer.",
  });
});
