import type { Lake } from "../lake.js";
import { readTables } from "../query/table-views.js";
import { webhookEvents } from "../tables/webhook-events.js";

/** Those of some messages that stand in `webhook_events`. */
export async function knownMessages(lake: Lake, ids: readonly string[]): Promise<ReadonlySet<string>> {
  return readTables(lake, [webhookEvents], async (sql) => {
    const rows = await sql.rows(
      `select distinct message_id from webhook_events
       where message_id in (select unnest(from_json($1, '["VARCHAR"]')))`,
      [JSON.stringify(ids)],
    );
    return new Set(rows.map(({ message_id }) => String(message_id)));
  });
}
