import { expect, test } from "vitest";
import { runLine } from "../../../src/cli/local/dev.js";

const run_id = "sync-20261121T021500Z-3f9c2a";

test("a run that begins or has ended is a line, and no other line of the log is", () => {
  expect(runLine({ msg: "run begins", run_id, kind: "sync", users: 3 })).toEqual([`run ${run_id} begins`]);
  const ended = { msg: "run ended", run_id, kind: "sync", duration_ms: 3_511, reason: null, message: null };
  expect(runLine({ ...ended, status: "completed" })).toEqual([`run ${run_id} ended: completed in 3.5s`]);
  const failed = { ...ended, status: "failed", message: "the disk is full" };
  expect(runLine(failed)).toEqual([`run ${run_id} ended: failed in 3.5s: the disk is full`]);
  expect(runLine({ msg: "amounts have another sign", run_id, rows: 5 })).toEqual([]);
  expect(runLine({ msg: "a command joined the run", run_id })).toEqual([]);
});
