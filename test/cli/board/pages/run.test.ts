import { expect, test } from "vitest";
import type { RunModel } from "../../../../src/cli/board/pages/run.js";
import { readPage } from "../../../helpers/board/read-page.js";
import { runHere, sayHere } from "../../../helpers/command/command-here.js";
import { eachFile } from "../../../helpers/each-test.js";
import { lakeOfRows } from "../../../helpers/query/lake-of-rows.js";

const HOSTILE = '<img src=x onerror="alert(1)">';
const FAILED = "sync-20261121T021500Z-000001";
const NOT_BEGUN = "sync-20261121T021500Z-000002";
const LEFT = "sync-20261121T021500Z-000003";
const WELL = "sync-20261121T021500Z-000004";
const BAD_ROWS = "sync-20261121T021500Z-000006";
const BATCH = "onb_0123456789abcdef01234567";
const ONBOARD = "onboard-20261121T021500Z-000005";
const TIMES = { started_at: "2026-11-21T02:15:00Z", finished_at: "2026-11-21T02:16:00Z" };
const PHASES = [
  { phase: "reading", began_at: "2026-11-21T02:15:05.000Z", ended_at: "2026-11-21T02:15:50.000Z" },
  { phase: "finishing", began_at: "2026-11-21T02:15:50.000Z", ended_at: "2026-11-21T02:16:00.000Z" },
];
const RUNS = [
  {
    ...{ run_id: FAILED, kind: "sync", status: "completed_with_failures", schedule: "nightly", ...TIMES },
    ...{ scheduled_at: "2026-11-21T02:14:50Z", reason: "some_failed", message: HOSTILE },
    ...{ users: 3, links: 4, failed: 2, calls: 9, pages: 5, restarts: 1, paused_ms: 12_000 },
    ...{ command: `nightledger sync --roster ${HOSTILE}`, phases: JSON.stringify(PHASES) },
    ...{ lake_root: "5f0c", options: JSON.stringify({ links: [HOSTILE], full: false }) },
  },
  {
    ...{ run_id: NOT_BEGUN, kind: "sync", status: "failed", schedule: "nightly", ...TIMES },
    ...{ reason: "not_begun", message: "no users.csv" },
  },
  {
    ...{ run_id: BAD_ROWS, kind: "sync", status: "completed_with_failures", ...TIMES },
    ...{ users: 1, links: 2, quarantined: 3 },
  },
  { run_id: WELL, kind: "sync", status: "completed", ...TIMES },
  { run_id: ONBOARD, kind: "onboard", job_id: BATCH, status: "completed", ...TIMES },
];

const failure = { run_id: FAILED, status: "failed", reason: "refused http_422", ...TIMES };
const SYNCED = [
  { ...failure, link_id: HOSTILE },
  { ...failure, link_id: "l/2" },
  { ...failure, link_id: "l3", status: "synced", reason: null, pages: 40 },
  {
    ...failure,
    link_id: "l0",
    status: "skipped",
    reason: "state deleted",
    finished_at: "2026-11-21T02:17:00Z",
  },
  { ...failure, link_id: "l4", status: "unchanged", reason: null, finished_at: TIMES.started_at },
];
const user = { run_id: FAILED, stream: "bank_links", owner: "u1", reason: "http_500" };
const OF_USERS = [{ ...user, failed_at: TIMES.finished_at }];
const lake = eachFile(() => lakeOfRows({ runs: RUNS, link_syncs: SYNCED, run_failures: OF_USERS }, [LEFT]));

const shown = (id: string) => readPage<RunModel>(lake, `/runs/${id}`);

test.for([FAILED, NOT_BEGUN, WELL, LEFT])("%s has all that runs show prints", async (id) => {
  const { said } = await sayHere(lake, "runs", "show", id);
  expect((await shown(id)).model).toMatchObject(said);
});

test("a run that failed in part: links that failed are led to, users are not, and nothing is markup", async () => {
  const { model, body } = await shown(FAILED);
  expect(model.links).toEqual([HOSTILE, "l/2", "l0"]);
  expect(model).toMatchObject({ lake_root: "5f0c", counts: { calls: 9, paused_ms: 12_000 } });
  expect(body.html).toContain('href="/links/l%2F2"');
  expect(body.html).not.toContain("/links/u1");
  expect(body.html).toContain("some_failed: &lt;img src=x");
  expect(body.html).not.toContain("<img");
  for (const words of [
    "due, until asked for: 10s",
    "asked for, until ended: 1m",
    "paused by the service: 12s",
    "l3: 1m",
  ])
    expect(body.html).toContain(words);
});

test("a run's command line and its phases on a time line; one that wrote none has no time line", async () => {
  const { model, body } = await shown(FAILED);
  expect(model).toMatchObject({ command: `nightledger sync --roster ${HOSTILE}`, phases: PHASES });
  expect(body.html).toContain("nightledger sync --roster &lt;img src=x");
  expect(body.html).toContain("waiting for a worker: 5s; reading: 45s, after 5s; finishing: 10s, after 50s");
  expect((await shown(WELL)).body.html).not.toContain("time-line");
  const { stdout } = await runHere(lake, ["runs", "show", FAILED]);
  expect(stdout).toContain("phases    reading 45s, finishing 10s\n");
});

test("the links that took longest are named, of the same time those with more pages first", async () => {
  expect((await shown(FAILED)).model.slowest).toEqual([
    { link_id: "l3", ms: 60_000, pages: 40 },
    { link_id: HOSTILE, ms: 60_000, pages: 0 },
    { link_id: "l/2", ms: 60_000, pages: 0 },
  ]);
  const { stdout } = await runHere(lake, ["runs", "show", FAILED]);
  expect(stdout).toContain("slowest   l3: 1m, 40 pages\n");
});

test.for([
  [FAILED, [`nightledger runs retry ${FAILED}`]],
  [NOT_BEGUN, ["nightledger schedule trigger nightly"]],
  [LEFT, [`nightledger runs continue ${LEFT}`]],
  [WELL, []],
] as const)("the commands of %s are what can be done about it", async ([id, commands]) => {
  const { model, body } = await shown(id);
  expect(model.commands).toEqual(commands);
  for (const command of commands) expect(body.html).toContain(`<code>${command}</code>`);
});

test("a run that failed only by bad rows says how to see them, and its page leads to them", async () => {
  const { model, body } = await shown(BAD_ROWS);
  const action = `nightledger quarantine list --run ${BAD_ROWS}`;
  expect(model.findings).toEqual([
    { status: "quarantined", reason: "bad rows", count: 3, action, examples: [] },
  ]);
  expect(body.html).toContain('<a href="/quarantine">');
  const { stdout } = await runHere(lake, ["runs", "show", BAD_ROWS]);
  expect(stdout).toMatch(new RegExp(`quarantined 3 × bad rows\\n +→ ${action}\\n`));
});

test("a run that is not there is said to be so", async () => {
  await expect(shown("sync-20261121T021500Z-ffffff")).rejects.toThrow("there is no run");
});
