import { expect, test } from "vitest";
import { DAY, HOUR } from "../../../../src/domain/duration.js";
import { readPage } from "../../../helpers/board/read-page.js";
import { eachFile } from "../../../helpers/each-test.js";
import { lakeOfRows } from "../../../helpers/query/lake-of-rows.js";

const now = new Date().toISOString();
const earlier = new Date(Date.now() - 5 * HOUR).toISOString();
const long = new Date(Date.now() - 40 * DAY).toISOString();
const run = (run_id: string, schedule: string | null) => ({
  ...{ run_id, kind: "sync", status: "completed", schedule, started_at: now, finished_at: now, links: 2 },
});
const skipped = (run_id: string, link_id: string, error: string, finished_at = now) => ({
  ...{ run_id, link_id, fp_id: "fp_1", status: "skipped", reason: `state error ${error}`, finished_at },
});

const lake = eachFile(() =>
  lakeOfRows({
    runs: [
      { ...run("sync-1", null), users: 40, links: 80, started_at: earlier, finished_at: earlier },
      { ...run("sync-4", null), users: 1, links: 1 },
      ...[run("sync-2", "nightly"), run("sync-3", "hourly")],
    ],
    link_syncs: [
      ...["sync-1", "sync-2", "sync-3"].flatMap((id) => [
        skipped(id, "expired", "auth_expired"),
        skipped(id, "odd", "never_heard_of"),
      ]),
      skipped("sync-0", "of an old roster", "auth_expired", long),
    ],
  }),
);

// Each job's last run counted them: with three schedules over one roster the sentence said three times as many as *Links*.
test("links that wait for somebody are counted once, whichever jobs read them", async () => {
  const { model } = await readPage<{ readonly verdict: { readonly sentence: string } }>(lake, "/");
  const { model: links } = await readPage<{ readonly turns: object }>(lake, "/links");
  expect(links.turns).toMatchObject({ customer: 1, us: 1 });
  expect(model.verdict.sentence).toMatch(
    /^The last sync ended at \S+Z\. 1 link needs a check in the dashboard; 1 link waits for its customer\.$/,
  );
});

// Of a batch only "failed" counted: nothing was said of rows in error, nor that some that passed wait for a reviewer.
test("what a batch did and what failed in it is said, and its run leads to a retry and to the reviews", async () => {
  const [batch_id, run_id] = ["onb_0123456789abcdef01234567", "onboard-20261121T021500Z-000005"];
  const counted = { status: "completed_with_failures", users: 3, failed: 1 };
  const outcome = (line: number, status: string, told: object) => ({
    ...{ batch_id, run_id, line, attempt: 1, version: 1, status, settled_at: now, ...told },
  });
  const own = await lakeOfRows({
    runs: [{ run_id, kind: "onboard", job_id: batch_id, started_at: now, finished_at: now, ...counted }],
    onboardings: [
      outcome(2, "pass", {}),
      outcome(3, "pass", { requires_manual_review: true, next_action: "decide it" }),
      outcome(4, "error", { error_message: "no such node", next_action: "fix it" }),
    ],
  });
  try {
    const { body } = await readPage(own, "/");
    expect(body.html).toContain("3 customers, 1 failed; 1 × no such node → fix it");
    type Run = Readonly<Record<"findings" | "next" | "commands", unknown>>;
    const { model } = await readPage<Run>(own, `/runs/${run_id}`);
    expect(model.findings).toMatchObject([
      { status: "error", count: 1, action: "fix it" },
      { status: "pass", count: 1, action: "decide it", examples: ["line 3"] },
    ]);
    // All was "ok" there after four nights that failed.
    const { model: health } = await readPage<{ readonly findings: readonly object[] }>(own, "/health");
    const detail = `onboard completed with failures (${run_id})`;
    expect(health.findings).toContainEqual({ check: "runs", ok: false, detail });
    expect(model.next).toEqual([`retry only what failed: nightledger runs retry ${batch_id}`]);
    expect(model.commands).toEqual([`nightledger runs retry ${run_id}`]);
  } finally {
    await own.release();
  }
});
