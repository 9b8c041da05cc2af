import type { Lake } from "../../lake.js";
import { type LakeReader, readTables } from "../../query/query-views.js";
import { sqlText } from "../../sql/duckdb-sql.js";
import { appendDecided } from "../../tables/append.js";
import { holds } from "../../tables/erasures.js";
import { writeRows } from "../../tables/parquet-file.js";

/** SQL of the rows of `holds` that are in force: the last one of each user, where it does not lift a hold. */
export const HELD_NOW = `select fp_id, reason, recorded_by, recorded_at from holds
  qualify row_number() over (partition by fp_id order by recorded_at desc) = 1 and state = 'held'`;

/** Whether a user is under a legal hold. */
export async function onHold(lake: LakeReader, fpId: string): Promise<boolean> {
  const rows = await readTables(lake, [holds], (sql) =>
    sql.few(`select fp_id from (${HELD_NOW}) where fp_id = ${sqlText(fpId)}`),
  );
  return rows.length > 0;
}

/** Sets a hold on users, or lifts it; gives those of whom it was so already, of whom nothing is written. */
export async function setHold(
  lake: Lake,
  fpIds: readonly string[],
  state: "held" | "lifted",
  { by, reason }: { readonly by: string; readonly reason: string },
): Promise<string[]> {
  return appendDecided(lake, holds, async () => {
    const held = await readTables(lake, [holds], (sql) => sql.rows(HELD_NOW));
    const now = new Set(held.map(({ fp_id }) => String(fp_id)));
    const [same, others] = [true, false].map((isSame) =>
      fpIds.filter((fpId) => (now.has(fpId) === (state === "held")) === isSame),
    ) as [string[], string[]];
    const recorded_at = new Date().toISOString();
    const rows = others.map((fp_id) => ({ fp_id, state, reason, recorded_by: by, recorded_at }));
    return { files: await writeRows(lake, holds, "hold", rows), result: same };
  });
}
