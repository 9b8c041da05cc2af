import type { Lake } from "../../../../src/lake/lake.js";
import { runs } from "../../../../src/lake/tables/runs.js";
import { appendRows } from "../../query/append-rows.js";

/** Has a run of a lake hear a time from the service, by a clock that says the same unless another time is given. */
export async function heardTime(lake: Lake, service_time: string, finished_at = service_time): Promise<void> {
  const run_id = `heard ${service_time}`;
  await appendRows(lake, runs, [{ run_id, started_at: finished_at, finished_at, service_time }]);
}

/** Later than the clock of any test. */
export const LATE = "2199-06-30T12:00:00Z";
