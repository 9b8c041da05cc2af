import type { TableSpec } from "../../delta/delta-schema.js";
import { currentOf, isHistory } from "../../history/history-spec.js";
import { type LakeReader, readTables } from "../../query/query-views.js";
import { linkSyncs } from "../../tables/link-syncs.js";

/**
 * Finds links that the lake holds under two users: in their lists, or in the rows of the link's generation. The service has
 * each link under one user, so an answer about another user was once taken.
 */
export async function sharedLinks(lake: LakeReader, bankLinks: TableSpec): Promise<string[]> {
  if (!isHistory(bankLinks)) return [];
  const current = currentOf(bankLinks);
  const rows = await readTables(lake, [current, linkSyncs], (sql) =>
    sql.rows(`
      with committed as (
        select link_id, fp_id from link_syncs where certificate is not null
        qualify generation = max(generation) over (partition by link_id)
      )
      select link_id from (select link_id, fp_id from ${current.name} union all from committed)
      group by link_id having count(distinct fp_id) > 1 order by link_id`),
  );
  return rows.map(({ link_id }) => String(link_id));
}

/** What is wrong with such a link, and what to do. */
export const SHARED_LINK =
  "the lake has it under two users: run nightledger sync --full --links with it and all users, then its rows are under the one whose list names it";
