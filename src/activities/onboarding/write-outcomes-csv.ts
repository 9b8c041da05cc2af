import {
  latestOutcomesSql,
  type OutcomesCsvRange,
  outcomeLines,
  putOutcomesCsv,
} from "../../lake/onboarding/outcomes-csv.js";
import { readTables } from "../../lake/query/table-views.js";
import { onboardings } from "../../lake/tables/onboardings.js";
import type { Dependencies } from "../dependencies.js";
import { beating } from "../sync/slice.js";

/** Writes a batch's outcomes as CSV, by what the tables say now. */
export async function writeOutcomesCsv(
  { lake, batches }: Dependencies,
  range: OutcomesCsvRange,
): Promise<{ key: string }> {
  return beating(async () => {
    const sql = latestOutcomesSql(range.batchId);
    const outcomes = await readTables(lake, [onboardings], (tables) => outcomeLines(tables.stream(sql)));
    return putOutcomesCsv(lake.store, batches, range, outcomes);
  });
}
