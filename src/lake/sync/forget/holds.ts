import type { Lake } from "../../lake.js";
import { type LakeReader, readTables } from "../../query/query-views.js";
import { appendDecided } from "../../tables/append.js";
import { NEWEST_CIP_REPORTS } from "../../tables/cip.js";
import { holds } from "../../tables/erasures.js";
import { writeRows } from "../../tables/parquet-file.js";

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
    const after = await afterLast(lake);
    const clock = new Date().toISOString().replace("Z", "000Z");
    const rows = others.map((fp_id) => {
      // The last row counts: one that a clock ahead of this one has written too.
      const recorded_at = [clock, after.get(fp_id) ?? clock].sort()[1];
      return { fp_id, state, reason, recorded_by: by, recorded_at };
    });
    return { files: await writeRows(lake, holds, "hold", rows), result: same };
  });
}

/** Gives the microsecond after the last row of each user, as an ISO instant. */
async function afterLast(lake: LakeReader): Promise<Map<string, string>> {
  const next = "timezone('UTC', max(recorded_at) + interval 1 microsecond)";
  const rows = await readTables(lake, [holds], (sql) =>
    sql.rows(`select fp_id, strftime(${next}, '%Y-%m-%dT%H:%M:%S.%fZ') as after from holds group by fp_id`),
  );
  return new Map(rows.map(({ fp_id, after }) => [String(fp_id), String(after)]));
}

/** SQL of all users under a legal hold, over `holds` and `cip_reports`: by `hold add`, or by the roster of the newest export. */
export const HELD = `select fp_id from (${HELD_NOW}) union all
  select fp_id from (${NEWEST_CIP_REPORTS}) where legal_hold is distinct from false`;

/** Gives the users whom `hold add` has put under a legal hold. */
export async function heldUsers(lake: LakeReader): Promise<Set<string>> {
  const rows = await readTables(lake, [holds], (sql) => sql.rows(HELD_NOW));
  return new Set(rows.map(({ fp_id }) => String(fp_id)));
}
