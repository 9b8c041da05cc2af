import { expect, test } from "vitest";
import type { LakeStatus } from "../../../src/cli/runs/lake-status.js";
import { statusLines } from "../../../src/cli/runs/status-text.js";

const amount = (files: number, bytes: number) => ({ files, bytes });
const of = (bytes: number) => ({ kept: amount(1, bytes), freed: amount(0, 0) });
const UPKEEP = {
  started_at: new Date(Date.now() - 3 * 86_400_000).toISOString(),
  retain_days: 7,
  live: amount(40, 1_500_000),
  old_files: of(2_000),
  logs: of(3_000),
  staging: of(0),
};
const SIZES = "1.5 MB in 40 files, 2.0 kB of replaced files, 3.0 kB of logs, 0 B of staging";
const QUIET: LakeStatus = {
  lake: "/lake",
  lake_exists: true,
  no_lake: null,
  latest: [],
  unfinished: [],
  open_rows: null,
  hooks: [],
  quarantined: 0,
  shared_links: [],
  accounts_twice: { accounts: 0, links: [] },
  pending_undecided: 0,
  dated_ahead: [],
  stale: { total: 0, links: [] },
  schedules: [],
  upkeep: UPKEEP,
  offline: null,
};
const finished_at = new Date(Date.now() - 26 * 60_000).toISOString();
const started_at = new Date(Date.parse(finished_at) - 252_000).toISOString();
const RUN = {
  run_id: "sync-20261122T021500Z-3f9c2a",
  kind: "sync",
  job_id: "1",
  status: "completed",
  schedule: "nightly",
  scheduled_at: started_at,
  started_at,
  finished_at,
  reason: null,
  message: null,
  counts: { created: 12, updated: 0, links: 9 },
  options: {},
  findings: [],
  is_open: false,
} as const;
const BATCH = "onb_0123456789abcdef01234567";
const OPEN = { ...RUN, run_id: BATCH, kind: "onboard", job_id: BATCH, status: "interrupted" } as const;
const WELL = [
  "last      sync nightly: completed 26m ago in 4m12s",
  "          sync-20261122T021500Z-3f9c2a: 12 created",
];

test.each<[string, Partial<LakeStatus>, string[]]>([
  ["a lake without a run says so", {}, ["runs      none yet"]],
  [
    "rows that wait for people are counted, with the age of the oldest",
    { open_rows: { rows: 12, oldest: started_at, next: null } },
    ["waiting   12 customers, the oldest for 30m12s; some are worked on now", "runs      none yet"],
  ],
  ["a run that went well takes two lines", { latest: [RUN] }, WELL],
  [
    "pending rows of which nothing says whether they are still there come with what to set",
    { latest: [RUN], pending_undecided: 1 },
    [
      ...WELL,
      "pending   1 older row: nothing says whether they are still there, so they are kept;",
      "          set service.pending in nightledger.yaml to listed or replaced",
    ],
  ],
  [
    "runs that are dated ahead are said once, with what to do",
    { latest: [RUN], dated_ahead: ["sync-20361122T021500Z-3f9c2a", "sync-20361123T021500Z-3f9c2a"] },
    [
      ...WELL,
      "clock     2 runs are dated ahead, from sync-20361122T021500Z-3f9c2a on, and count as the last run of nothing: correct the clock of the machine that ran them, or of this one",
    ],
  ],
  [
    "what failed comes with what to do, and links that were skipped with whose turn it is",
    {
      latest: [
        {
          ...RUN,
          status: "completed_with_failures",
          is_open: true,
          findings: [
            { status: "failed", reason: "gave_up http_503", count: 2, action: "wait", examples: ["a", "b"] },
            {
              status: "skipped",
              reason: "state error auth_expired",
              count: 4,
              action: null,
              examples: ["c"],
            },
          ],
        },
      ],
    },
    [
      "last      sync nightly: completed_with_failures 26m ago in 4m12s",
      "          sync-20261122T021500Z-3f9c2a: 12 created",
      "          4 need the customer (auth_expired 4)",
      "failed    2 × gave_up http_503: a, b",
      "          → wait",
      "          → retry only what failed: nightledger runs retry sync-20261122T021500Z-3f9c2a",
    ],
  ],
  [
    "a failed run that a later one has made good says only that",
    { latest: [{ ...RUN, status: "failed", reason: "credentials_refused", message: "no" }] },
    [`${WELL[0]}, made good since`.replace("completed", "failed"), WELL[1]!],
  ],
  [
    "what is open comes before it, and when schedules fire next after it",
    {
      latest: [RUN],
      unfinished: [OPEN],
      hooks: [
        { about: "sync-1", event: "failed", since: "", reason: "answered 503", given_up: false },
        { about: "nightly@sync-1", event: "late", since: "", reason: "ended with 1", given_up: true },
      ],
      quarantined: 3,
      stale: { total: 5, links: [{ link_id: "x", committed_at: null, status: "failed", reason: null }] },
      schedules: [
        { name: "nightly", paused: false, next: "2026-11-23T02:15:00Z" },
        { name: "weekly", paused: true, next: null },
      ],
      offline: "nothing works here",
    },
    [
      `open      ${BATCH} interrupted: no worker is on it; the same command continues it`,
      ...WELL,
      "hook      not told that sync-1 is failed, tried again: answered 503",
      "hook      not told that nightly@sync-1 is late, and given up: ended with 1",
      "bad rows  3 open; see: nightledger quarantine list",
      "stale     5 links: x (failed), …",
      "next      nightly: 2026-11-23T02:15:00Z",
      "next      weekly: paused",
      "note      nothing works here",
    ],
  ],
])("%s", (_, status, lines) => {
  expect(statusLines({ ...QUIET, ...status })).toEqual([
    "lake      /lake",
    `upkeep    3d ago: ${SIZES}`,
    ...lines,
  ]);
});

test("a lake that is not there is said to be so", () => {
  const no_lake = "/lake does not exist yet; the first sync creates it";
  expect(statusLines({ ...QUIET, upkeep: null, lake_exists: false, no_lake })).toEqual([
    `lake      ${no_lake}`,
    "runs      none yet",
  ]);
});

// A new lake of `dev` was told to do what its schedule does on Sunday.
test("an upkeep that its schedule will do is not asked for", () => {
  const schedules = [{ name: "maintain", paused: false, next: "2026-11-29T03:00:00Z" }];
  const lines = statusLines({ ...QUIET, latest: [RUN], upkeep: null, schedules });
  expect(lines[1]).toBe("upkeep    not yet; the schedule maintain begins it at 2026-11-29T03:00:00Z");
});

test.each<[string, LakeStatus["upkeep"], string]>([
  ["never", null, "never; nightledger maintain keeps the lake small"],
  [
    "too long ago",
    { ...UPKEEP, started_at: new Date(Date.now() - 9 * 86_400_000).toISOString() },
    `9d ago: ${SIZES}; it is due: nightledger maintain`,
  ],
])("an upkeep that was %s is due", (_, upkeep, words) => {
  const lines = statusLines({ ...QUIET, latest: [RUN], upkeep });
  expect(lines[1]).toBe(`upkeep    ${words}`);
});
