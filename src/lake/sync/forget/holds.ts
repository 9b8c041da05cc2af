import type { Lake } from "../../lake.js";
import { type LakeReader, readTables } from "../../query/query-views.js";
import { appendDecided } from "../../tables/append.js";
import { NEWEST_CIP_REPORTS } from "../../tables/cip.js";
import { holds } from "../../tables/erasures.js";
import { writeRows } from "../../tables/parquet-file.js";
import { recordedNow } from "./erase-rows.js";

/** SQL of the rows of `holds` that are in force: the last one of each user, where it does not lift a hold. */
export const HELD_NOW = `select fp_id, reason, recorded_by, recorded_at from holds
  qualify row_number() over (partition by fp_id order by recorded_at desc) = 1 and state = 'held'`;

/** Sets a hold on users, or lifts it; gives those of whom it was so already, of whom nothing is written. */
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

/** SQL of all users under a legal hold, over `holds` and `cip_reports`: by `hold add`, or by the roster of the newest export. */
export const HELD = `select fp_id from (${HELD_NOW}) union all
  select fp_id from (${NEWEST_CIP_REPORTS}) where legal_hold is distinct from false`;

export async function heldUsers(lake: LakeReader): Promise<Set<string>> {
  const rows = await readTables(lake, [holds], (sql) => sql.rows(HELD_NOW));
  return new Set(rows.map(({ fp_id }) => String(fp_id)));
}
