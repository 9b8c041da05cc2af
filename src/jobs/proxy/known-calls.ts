import type { Lake } from "../../lake/lake.js";
import { readTables } from "../../lake/query/query-views.js";
import { sqlList, sqlText } from "../../lake/sql/duckdb-sql.js";
import { proxyCalls } from "../../lake/tables/proxy-calls.js";

/** How the calls of earlier runs under an id ended; one that the target refused may be made again. */
export type KnownCall = "answered" | "unknown";

/**
 * The requests of a proxy that earlier runs have sent, by their ids. A status of 500 or more says that something went
 * wrong, not whether the target acted.
 */
export async function knownCalls(
  lake: Lake,
  proxy: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, KnownCall>> {
  const known = new Map<string, KnownCall>();
  await readTables(lake, [proxyCalls], async (sql) => {
    const calls = sql.stream(
      `select id, bool_or(status = 'answered' and http_status < 400) as answered
       from proxy_calls
       where proxy = ${sqlText(proxy)} and list_contains(${sqlList(ids)}, id)
         and (status = 'unknown' or status = 'answered' and (http_status < 400 or http_status >= 500))
       group by id`,
    );
    for await (const batch of calls) {
      for (const { id, answered } of batch) known.set(String(id), answered === true ? "answered" : "unknown");
    }
  });
  return known;
}
