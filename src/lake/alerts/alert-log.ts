import { randomBytes } from "node:crypto";
import { type AlertTarget, TARGETS } from "../../domain/alert-settings.js";
import { type AlertMessage, messageId } from "../../domain/alerts/alert-message.js";
import { type AlertEvent, overWords, type Transitions } from "../../domain/alerts/transitions.js";
import { runId as makeId } from "../../domain/run.js";
import type { Lake } from "../lake.js";
import { type LakeReader, readTables } from "../query/query-views.js";
import { alerts } from "../tables/alerts.js";
import { appendDecided, appendOnce } from "../tables/append.js";
import { compact } from "../tables/compact.js";
import { writeRows } from "../tables/parquet-file.js";

/** What alerts were raised and cleared; the other rows tell of deliveries. */
const EVENTS = `
  select alert_id as "alertId", rule, subject, state, message, coalesce(action, '') as action, run_id as "runId",
    epoch_ms(recorded_at)::double as "at"
  from alerts where delivery is null`;

/** Alerts whose newest row says that they were raised. */
const OPEN = `${EVENTS}
  qualify row_number() over (partition by alert_id order by state) = 1 and state = 'raised'
  order by recorded_at, alert_id`;

/** Messages that a target was to get and whose delivery is not on record, those of an alert in their order. */
const PENDING = `
  select a.alert_id as "alertId", a.state, a.target
  from (select *, unnest(string_split(targets, ',')) as target from (select * exclude target from alerts)
        where delivery is null) a
  where not exists (
    select 1 from alerts d
    where d.alert_id = a.alert_id and d.state = a.state and d.target = a.target and d.delivery is not null)
  order by a.recorded_at, a.alert_id, a.state desc`;

export interface WrittenAlerts {
  readonly raised: readonly AlertEvent[];
  readonly cleared: readonly AlertEvent[];
}

export function openAlerts(lake: LakeReader): Promise<AlertEvent[]> {
  return read<AlertEvent>(lake, OPEN);
}

/** Messages that were written and not delivered yet, the oldest first. */
export function pendingMessages(lake: Lake): Promise<AlertMessage[]> {
  return read<AlertMessage>(lake, PENDING);
}

export async function alertEvent(
  lake: Lake,
  { alertId, state }: Pick<AlertMessage, "alertId" | "state">,
): Promise<AlertEvent | undefined> {
  return (await read<AlertEvent>(lake, `${EVENTS} and alert_id = $1 and state = $2`, [alertId, state]))[0];
}

/**
 * Writes what changes between the open alerts and what `decide` makes of them. The commit is the decision: of any number of
 * checks at once, killed or not, one raises an alert and one ends it.
 * @param targets who is to be told
 */
export async function writeAlerts(
  lake: Lake,
  decide: (open: readonly AlertEvent[]) => Transitions,
  targets: readonly AlertTarget[],
): Promise<WrittenAlerts> {
  const told = TARGETS.filter((one) => targets.includes(one)).join(",") || null;
  const written = await appendDecided(lake, alerts, async () => {
    const { raise, clear } = decide(await openAlerts(lake));
    const now = new Date();
    const at = now.getTime();
    const raised = raise.map((cause): AlertEvent => {
      return { ...cause, alertId: makeId("alert", now, randomBytes(3).toString("hex")), state: "raised", at };
    });
    const cleared = clear.map((alert): AlertEvent => {
      return { ...alert, state: "cleared", message: overWords(alert), action: "", at };
    });
    const rows = [...raised, ...cleared].map((event) => ({ ...rowOf(event), targets: told }));
    return { files: await writeRows(lake, alerts, "alerts", rows), result: { raised, cleared } };
  });
  if (written.raised.length + written.cleared.length > 0)
    await compact(lake, alerts, ["recorded_at", "alert_id"]);
  return written;
}

export async function recordDelivery(
  lake: Lake,
  message: AlertMessage,
  failure: string | null,
): Promise<void> {
  const event = await alertEvent(lake, message);
  if (event === undefined) return;
  const { target } = message;
  const delivery = failure === null ? "delivered" : "undelivered";
  const row = { ...rowOf({ ...event, action: "", at: Date.now() }), message: failure, delivery, target };
  await appendOnce(lake, alerts, `${messageId(event)}/${target}`, () =>
    writeRows(lake, alerts, "alerts", [row]),
  );
}

/** Reads what SQL gives under the names of the program. */
function read<T>(lake: LakeReader, sql: string, values?: readonly string[]): Promise<T[]> {
  return readTables(lake, [alerts], async (session) => (await session.rows(sql, values)) as T[]);
}

function rowOf({ alertId, runId, at, action, ...event }: AlertEvent) {
  const recorded_at = new Date(at).toISOString();
  return { ...event, alert_id: alertId, run_id: runId, action: action === "" ? null : action, recorded_at };
}
