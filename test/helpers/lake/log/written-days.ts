import { schemaActions } from "../../../../src/lake/delta/delta-schema.js";
import type { Lake } from "../../../../src/lake/lake.js";
import { runs } from "../../../../src/lake/tables/runs.js";

/** Has a lake's log say that it was written on these days too. */
export async function writeOnDays(lake: Lake, days: readonly string[]): Promise<void> {
  await lake.table(runs.name).commit((snapshot) => [
    ...schemaActions(runs, snapshot, 0),
    ...days.map((day) => {
      return { txn: { appId: `test/${day}`, version: 0, lastUpdated: Date.parse(day) } };
    }),
  ]);
}

/** Two days after any clock of a test: by the lake, it is as late as the clock says. */
export const LATE_DAYS = ["2199-01-01", "2199-01-02"];
