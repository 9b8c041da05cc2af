import { DAY } from "../../domain/duration.js";
import { runs } from "../tables/runs.js";
import { type LakeReader, readTables } from "./query-views.js";

/**
 * Epoch milliseconds for what can't be undone: at most a day after the newest `Date` of the service that runs have seen,
 * by either clock. Undefined where none has.
 */
export async function witnessedNow(lake: LakeReader, now = Date.now()): Promise<number | undefined> {
  const [row] = await readTables(lake, [runs], (sql) =>
    sql.rowsAtOnce(
      "select epoch_ms(max(least(service_time, finished_at))) as at from runs where service_time is not null",
    ),
  );
  return row?.at == null ? undefined : Math.min(now, Number(row.at) + DAY);
}
