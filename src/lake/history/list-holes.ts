import type { SqlSession } from "../sql/duckdb-session.js";
import { sqlNames } from "../sql/duckdb-sql.js";
import { type HistorySpec, isThere, OBSERVED_AT, sameIn } from "./history-spec.js";
import { type NewestFiles, newestRows } from "./newest-rows.js";
import { FIRST_DAY, type ListHole } from "./whole-lists.js";

/** Finds the holes that observations leave, over the tables of their comparison. */
export async function listHoles(sql: SqlSession, spec: HistorySpec, files: NewestFiles): Promise<ListHole[]> {
  if (typeof spec.lists === "string") return [];
  const account = [...spec.owner, spec.lists.per];
  const isKnown = (one: string) => `${sameIn(account, one, "l")} and ${isThere(spec, "l")}`;
  await sql.run(`create or replace temp table fresh as
    select ${sqlNames(account)}, max(${OBSERVED_AT}) as seen_at
    from observed o anti join last l on ${isKnown("o")}
      anti join (from whole where from_day = '${FIRST_DAY}') w on ${sameIn(spec.owner, "o", "w")}
    group by all`);
  const [found] = await sql.few("select exists (from fresh) as any_is_fresh");
  if (found?.any_is_fresh !== true) return [];
  // Those were the last rows of a part of the keys.
  const last = newestRows(spec, files, { ownersIn: "fresh" });
  const rows = await sql.rows(`select ${sqlNames(spec.owner)}, epoch_ms(max(seen_at)) as seen_ms
    from fresh f anti join (${last}) l on ${isKnown("f")} group by all`);
  return rows.map(({ fp_id, link_id, seen_ms }) => {
    const linkId = link_id === undefined ? null : String(link_id);
    return { fpId: String(fp_id), linkId, seenAt: new Date(Number(seen_ms)) };
  });
}
