import { expect, test } from "vitest";
import { hookBody, hookWorkflowId } from "../../../src/domain/hooks/message.js";
import type { Run } from "../../../src/domain/run.js";

const RUN: Run = {
  run_id: "sync-20261122T021500Z-3f9c2a",
  kind: "sync",
  job_id: "j",
  status: "failed",
  schedule: "nightly",
  scheduled_at: null,
  started_at: "2026-11-22T02:15:00.000Z",
  finished_at: "2026-11-22T02:16:00.000Z",
  counts: {},
  options: null,
  reason: "step_failed",
  message: "read: <disk> & co.",
};
const OF_RUN = { hook: "h", runId: RUN.run_id, schedule: "nightly" };

test("a failed run in one line for chats, with the board's page of it", () => {
  const again = "fix that, then do the whole run again: nightledger runs retry sync-20261122T021500Z-3f9c2a";
  const content = `Nightledger: sync nightly failed: read: <disk> & co. ${again} https://b.example/runs/${RUN.run_id}`;
  expect(hookBody({ ...OF_RUN, event: "failed" }, RUN, "https://b.example")).toEqual({
    event: "failed",
    schedule: "nightly",
    text: content.replace("<disk> &", "&lt;disk&gt; &amp;"),
    content,
    board: `https://b.example/runs/${RUN.run_id}`,
    run: RUN,
  });
});

test("a run that is well again, without a board", () => {
  const run: Run = {
    ...RUN,
    kind: "vault_write",
    schedule: null,
    status: "completed",
    reason: null,
    message: null,
  };
  expect(hookBody({ ...OF_RUN, schedule: null, event: "recovered" }, run, undefined)).toMatchObject({
    content: `Nightledger: vault write is well again (completed). ${RUN.run_id}`,
    board: null,
  });
});

test("a late schedule, of which no run has ended yet", () => {
  const late = { ...OF_RUN, runId: null, event: "late", since: "2026-11-21T02:16:00.000Z" } as const;
  expect(hookBody(late, undefined, "https://b.example")).toMatchObject({
    content:
      "Nightledger: schedule nightly is late: none of its runs has ended since 2026-11-21T02:16:00.000Z. nightledger status says what runs. https://b.example/schedules",
    run: null,
  });
  expect(hookWorkflowId("s", late)).toBe("hooks/s/nightly@never/late/h");
});
