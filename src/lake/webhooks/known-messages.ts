import { DAY } from "../../domain/duration.js";
import type { Lake } from "../lake.js";
import { readTables } from "../query/query-views.js";
import { webhookEvents } from "../tables/webhook-events.js";

/** More than the service's clock and ours may differ. */
const CLOCKS_APART_MS = DAY;
/** How long a message without a time may be repeated. */
const REPEATED_WITHIN_MS = 30 * DAY;

interface ReceivedMessage {
  readonly messageId: string;
  /** The event's own time in epoch milliseconds; null where it names none. */
  readonly at: number | null;
}

/**
 * Since when the first copy of any of some messages may be in the table: a copy came after the event that it tells of,
 * so new events need only the newest rows (docs/use/webhooks.md, "Repeated messages"). Pure.
 */
export function firstCopiesSince(messages: readonly ReceivedMessage[], now: number): number {
  const since = messages.map(({ at }) => (at === null ? now - REPEATED_WITHIN_MS : at - CLOCKS_APART_MS));
  return Math.min(now - CLOCKS_APART_MS, ...since);
}

export async function knownMessages(
  lake: Lake,
  messages: readonly ReceivedMessage[],
  now = Date.now(),
): Promise<ReadonlySet<string>> {
  const since = new Date(Math.max(0, firstCopiesSince(messages, now)));
  return readTables(lake, [webhookEvents], async (sql) => {
    const rows = await sql.rows(
      `select distinct message_id from webhook_events
       where received_at >= $1::timestamptz
         and message_id in (select unnest(from_json($2, '["VARCHAR"]')))`,
      [since.toISOString(), JSON.stringify(messages.map(({ messageId }) => messageId))],
    );
    return new Set(rows.map(({ message_id }) => String(message_id)));
  });
}
