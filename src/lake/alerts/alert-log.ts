import { randomBytes } from "node:crypto";
import { type AlertTarget, TARGETS } from "../../domain/alert-settings.js";
import { type AlertMessage, messageId } from "../../domain/alerts/alert-message.js";
import { type AlertEvent, overWords, type Transitions } from "../../domain/alerts/transitions.js";
import { runId as makeId } from "../../domain/run.js";
import type { Lake } from "../lake.js";
import { type LakeReader, readTables } from "../query/query-views.js";
import type { SqlRow } from "../sql/duckdb-session.js";
import { textOf } from "../sql/duckdb-values.js";
import { alerts } from "../tables/alerts.js";
import { appendDecided, appendOnce } from "../tables/append.js";
import { compact } from "../tables/compact.js";
import { writeRows } from "../tables/parquet-file.js";

/** What alerts were raised and cleared; the other rows tell of deliveries. */
const EVENTS = `
  select alert_id, rule, subject, state, message, action, run_id, epoch_ms(recorded_at) as recorded
  from alerts where delivery is null`;

/** Alerts whose newest row says that they were raised. */
const OPEN = `${EVENTS}
  qualify row_number() over (partition by alert_id order by state) = 1 and state = 'raised'
  order by recorded_at, alert_id`;

/** Messages that a target was to get and whose delivery is not on record, those of an alert in their order. */
const PENDING = `
  select a.alert_id, a.state, a.target
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

export async function openAlerts(lake: LakeReader): Promise<AlertEvent[]> {
  return (await rowsOf(lake, OPEN)).map(eventOf);
}

/** Messages that were written and not delivered yet, the oldest first. */
export async function pendingMessages(lake: Lake): Promise<AlertMessage[]> {
  return (await rowsOf(lake, PENDING)).map(({ alert_id, state, target }) => ({
    alertId: String(alert_id),
    state: state as AlertMessage["state"],
    target: target as AlertTarget,
  }));
}

export async function alertEvent(
  lake: Lake,
  { alertId, state }: Pick<AlertMessage, "alertId" | "state">,
): Promise<AlertEvent | undefined> {
  const [row] = await rowsOf(lake, `${EVENTS} and alert_id = $1 and state = $2`, [alertId, state]);
  return row && eventOf(row);
}

/**
 * Writes what changes between the open alerts and what `decide` makes of them. The commit is the decision: it counts
 * only on the version of the table that was decided on, so of any number of checks at once, killed or not, one raises
 * an alert and one ends it.
 *
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

function rowsOf(lake: LakeReader, sql: string, values?: readonly string[]): Promise<SqlRow[]> {
  return readTables(lake, [alerts], (session) => session.rows(sql, values));
}

function rowOf({ alertId, runId, at, action, ...event }: AlertEvent) {
  const recorded_at = new Date(at).toISOString();
  return { ...event, alert_id: alertId, run_id: runId, action: action === "" ? null : action, recorded_at };
}

function eventOf({ alert_id, rule, subject, state, message, action, run_id, recorded }: SqlRow): AlertEvent {
  return {
    alertId: String(alert_id),
    rule: rule as AlertEvent["rule"],
    subject: String(subject),
    state: state as AlertEvent["state"],
    message: String(message),
    action: String(action ?? ""),
    runId: textOf(run_id),
    at: Number(recorded),
  };
}
