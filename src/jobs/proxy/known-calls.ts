import type { Lake } from "../../lake/lake.js";
import { readTables } from "../../lake/query/query-views.js";
import { sqlList, sqlText } from "../../lake/sql/duckdb-sql.js";
import { proxyCalls } from "../../lake/tables/proxy-calls.js";

/**
 * How the calls of earlier runs under an id ended: answered, lost, or with an error of the target after which it may have
 * acted. One that the target refused may be made again.
 */
export type KnownCall = "answered" | "lost" | `http_${number}`;

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
      `select id, bool_or(status = 'answered' and http_status < 400) as answered,
         bool_or(status = 'unknown' and asked > 0) as lost, arg_max(http_status, called_at) as http_status
       from proxy_calls
       where proxy = ${sqlText(proxy)} and list_contains(${sqlList(ids)}, id)
         and (status = 'unknown' or status = 'answered' and (http_status < 400 or http_status >= 500))
       group by id`,
    );
    for await (const batch of calls) {
      for (const { id, answered, lost, http_status } of batch) {
        const failed =
          lost === true || http_status === null ? "lost" : (`http_${Number(http_status)}` as const);
        known.set(String(id), answered === true ? "answered" : failed);
      }
    }
  });
  return known;
}
