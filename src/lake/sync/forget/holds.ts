import { InputError } from "../../../domain/failures.js";
import type { Person } from "../../../domain/tables/person.js";
import type { Lake } from "../../lake.js";
import { type LakeReader, readTables } from "../../query/query-views.js";
import { sqlList } from "../../sql/duckdb-sql.js";
import { appendDecided } from "../../tables/append.js";
import { cipReports } from "../../tables/cip.js";
import { holds } from "../../tables/erasures.js";
import { writeRows } from "../../tables/parquet-file.js";
import { recordedNow } from "./erase-rows.js";

/** Of each user the last row counts. */
const SET_NOW = `from holds qualify row_number() over (partition by fp_id order by recorded_at desc) = 1 and state = 'held'`;

/** Exports dated ahead are apart: a clock that was wrong lifts no hold. */
const NEWEST_ROSTERS = `from cip_reports qualify row_number() over (
  partition by fp_id, asked_at > now() + interval 1 hour order by asked_at desc, run_id desc) = 1`;

/** Who is under a legal hold, by `hold add` or the roster of the newest export that has a report of the user. */
export const HOLDS = `select fp_id, 'hold add' as source, reason, recorded_by, recorded_at from (${SET_NOW}) union all
  select fp_id, 'the roster of ' || run_id, null, null, asked_at from (${NEWEST_ROSTERS}) where legal_hold is distinct from false`;
export const HELD = `select fp_id from (${HOLDS})`;

/** Sets or lifts a hold; gives those of whom it was so already, of whom nothing is written. */
export async function setHold(
  lake: Lake,
  fpIds: readonly string[],
  state: "held" | "lifted",
  { by, reason }: { readonly by: string; readonly reason: string },
): Promise<string[]> {
  return appendDecided(lake, holds, async () => {
    const now = await heldUsers(lake);
    const [same, others] = [true, false].map((isSame) =>
      fpIds.filter((fpId) => (now.has(fpId) === (state === "held")) === isSame),
    ) as [string[], string[]];
    const recorded_at = await recordedNow(lake, holds, others);
    const rows = others.map((fp_id) => ({ fp_id, state, reason, recorded_by: by, recorded_at }));
    return { files: await writeRows(lake, holds, "hold", rows), result: same };
  });
}

/** Finds the users whom `hold add` holds, whatever a roster has. */
export async function heldUsers(lake: LakeReader): Promise<Set<string>> {
  const rows = await readTables(lake, [holds], (sql) => sql.rows(`select fp_id ${SET_NOW}`));
  return new Set(rows.map(({ fp_id }) => String(fp_id)));
}

/** Tells the holds on users in words. */
export async function holdsOn(lake: LakeReader, ids: readonly string[]): Promise<string[]> {
  const rows = await readTables(lake, [holds, cipReports], (sql) =>
    sql.rows(`select fp_id, source from (${HOLDS}) where fp_id in ${sqlList(ids)} order by source`),
  );
  return rows.map(({ fp_id, source }) => `${fp_id} is under a legal hold, by ${source}`);
}

/** @throws InputError for a person under a legal hold; `what` tells what was done */
export async function assertNotHeld(
  lake: LakeReader,
  { fpId, externalIds }: Person,
  what: string,
): Promise<void> {
  const [held] = await holdsOn(lake, [fpId, ...externalIds]);
  if (held === undefined) return;
  throw new InputError(
    `${held}. ${what} To lift it: nightledger hold remove, or an export cip whose roster says that there is none.`,
  );
}
