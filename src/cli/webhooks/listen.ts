import { setTimeout as sleep } from "node:timers/promises";
import { DAY } from "../../domain/duration.js";
import { BANK_LINK_UPDATED } from "../../domain/service/event-kind.js";
import { REFUSALS, type Refusal } from "../../domain/webhooks/rejection.js";
import { type LakeReader, readTables } from "../../lake/query/query-views.js";
import { linkSyncs } from "../../lake/tables/link-syncs.js";
import { onboardingEvents } from "../../lake/tables/onboardings.js";
import { runFailures, runs } from "../../lake/tables/runs.js";
import { webhookEvents } from "../../lake/tables/webhook-events.js";
import type { ReceiverCounts } from "../../receiver/counts.js";
import { RECEIVER_PATHS } from "../../receiver/routes.js";
import { lakeStore } from "../lake/query.js";
import { withLakeReader } from "../lake/reader.js";
import { printable } from "../lake/row-table.js";
import { timeStamp } from "../terminal/clock.js";
import { withInterruption } from "../terminal/interruption.js";
import type { Terminal } from "../terminal/terminal.js";

interface ListenFlags {
  readonly kind?: readonly string[];
  /** ISO instant. */
  readonly since?: string;
  readonly receiver: string;
  readonly json?: boolean;
}

const LOOK_EVERY_MS = 1_000;
const HEALTH_WITHIN_MS = 2_000;
const TABLES = [webhookEvents, linkSyncs, runs, runFailures, onboardingEvents];

const UTC = "at time zone 'UTC', '%Y-%m-%dT%H:%M:%S.%gZ'";

const EVENTS = `select strftime(received_at ${UTC}) as "at", 'new' as verdict, message_id, event_kind, fp_id, onboarding_id,
    status, known, matched
  from webhook_events where received_at >= $1::timestamptz order by received_at, message_id`;

/** Of a bank link the first ended sync that read one of the user's after the event came; of a customer the new version. */
const EFFECTS = `with event as (from webhook_events where received_at >= $1::timestamptz and message_id in (select unnest(from_json($2, '["VARCHAR"]')))),
  reads as (
    select run_id, fp_id, started_at as read_at, concat(link_id, ' ', status, ': ', created, ' created, ', updated,
      ' updated, ', removed, ' removed') as what
    from link_syncs where started_at >= $1::timestamptz
    union all select run_id, owner, failed_at, concat(owner, ' failed: ', reason)
    from run_failures where failed_at >= $1::timestamptz
  ),
  effects as (
    select message_id, run_id, any_value(finished_at) as "at", string_agg(what, '; ' order by what) as what
    from event join reads using (fp_id) join runs using (run_id)
    where event_kind = '${BANK_LINK_UPDATED}' and read_at >= received_at
    group by message_id, run_id qualify row_number() over (partition by message_id order by min(read_at)) = 1
    union all select message_id, run_id, "at", concat('line ', line, ' of ', batch_id, ' is ', status)
    from onboarding_events where message_id in (select message_id from event)
  )
  select strftime("at" ${UTC}) as "at", 'led_to' as verdict, message_id, run_id, what from effects order by "at", what`;

/** Prints webhooks as they come into their table, and what each led to, until Ctrl-C. It only reads. */
export async function listenToWebhooks(terminal: Terminal, flags: ListenFlags): Promise<void> {
  const store = await lakeStore(terminal);
  await withInterruption(({ signal }) =>
    withLakeReader(store, async (lake) => {
      const look = lookAt(lake, flags);
      let counts: ReceiverCounts | null | undefined;
      while (!signal.aborted) {
        const before = counts;
        counts = await countsOf(flags.receiver);
        if (counts === null && before !== null)
          terminal.say(
            `${flags.receiver} does not answer, so what it refuses is not seen: nightledger webhooks serve`,
          );
        const refused = counts && before ? receiverNews(counts, before, new Date().toISOString()) : [];
        for (const news of [...refused, ...(await look())])
          terminal.result(flags.json ? JSON.stringify(news) : newsText(news));
        if (before === undefined)
          terminal.say("Webhooks are printed as they are committed. Ctrl-C ends this.");
        await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
      }
    }),
  );
}

/** What a receiver has counted, or null where none answers: what it refuses is in no table. */
async function countsOf(receiver: string): Promise<ReceiverCounts | null> {
  try {
    const health = new URL(RECEIVER_PATHS.health, receiver);
    const answer = await fetch(health, { signal: AbortSignal.timeout(HEALTH_WITHIN_MS) });
    const counts = (await answer.json()) as Partial<ReceiverCounts>;
    return counts.refused === undefined ? null : (counts as ReceiverCounts);
  } catch {
    return null;
  }
}

/** Makes a look at the tables: what is new in them since the last one. */
function lookAt(lake: LakeReader, { kind, since }: ListenFlags): () => Promise<WebhookNews[]> {
  // An event may wait in the staging area before it is committed.
  const from = since ?? new Date(Date.now() - DAY).toISOString();
  const seen = new Set<string>();
  /** Shown, and nothing that it led to. */
  const awaited = new Set<string>();
  let versions: string | undefined;
  return async () => {
    const snapshots = await Promise.all(TABLES.map(({ name }) => lake.table(name).snapshot()));
    const isFirst = versions === undefined;
    const newest = snapshots.map(({ version }) => version).join();
    if (newest === versions) return [];
    versions = newest;
    const rows = async (sql: string, ...more: string[]) =>
      (await readTables(lake, TABLES, (session) =>
        session.rows(sql, [from, ...more]),
      )) as unknown as WebhookNews[];
    const found = (await rows(EVENTS)).filter((news) => "event_kind" in news && !seen.has(news.message_id));
    const events = found as Extract<WebhookNews, { verdict: "new" }>[];
    for (const { message_id } of events) seen.add(message_id);
    const shown =
      isFirst && since === undefined ? [] : events.filter((one) => kind?.includes(one.event_kind) ?? true);
    for (const one of shown)
      if (one.matched || one.event_kind === BANK_LINK_UPDATED) awaited.add(one.message_id);
    const effects = awaited.size === 0 ? [] : await rows(EFFECTS, JSON.stringify([...awaited]));
    for (const news of effects) if ("what" in news) awaited.delete(news.message_id);
    return [...shown, ...effects];
  };
}

/** One line of `webhooks listen`. */
export type WebhookNews = { readonly at: string } & (
  | {
      readonly verdict: "new";
      readonly message_id: string;
      readonly event_kind: string;
      readonly fp_id: string | null;
      readonly onboarding_id: string | null;
      readonly status: string | null;
      readonly known: boolean;
      readonly matched: boolean;
    }
  /** A sync that read the user's links again, or a new version of a customer's row. */
  | {
      readonly verdict: "led_to";
      readonly message_id: string;
      readonly run_id: string;
      readonly what: string;
    }
  /** What the receiver took without a new row, or did not take. */
  | { readonly verdict: "repeated"; readonly count: number }
  | { readonly verdict: "refused"; readonly reason: Refusal; readonly count: number }
);

export function newsText(news: WebhookNews): string {
  const parts = "event_kind" in news ? eventWords(news) : otherWords(news);
  return printable([timeStamp(new Date(news.at)), ...parts.filter((part) => part !== null)].join("  "));
}

function eventWords(event: Extract<WebhookNews, { verdict: "new" }>): readonly (string | null)[] {
  const { event_kind, fp_id, onboarding_id, status, message_id } = event;
  return ["new", event_kind, fp_id, onboarding_id, status, message_id, `→ ${willLeadTo(event)}`];
}

function willLeadTo({ event_kind, fp_id, known, matched }: Extract<WebhookNews, { verdict: "new" }>): string {
  if (matched) return "the customer who waited is told";
  if (!known) return "nothing: this version does not know the kind";
  if (event_kind !== BANK_LINK_UPDATED) return "nothing: no customer waited for it";
  return fp_id === null ? "nothing: it names no user" : "a sync reads the bank link again";
}

function otherWords(news: Exclude<WebhookNews, { verdict: "new" }>): readonly string[] {
  switch (news.verdict) {
    case "led_to":
      return ["led to", news.message_id, news.run_id, news.what];
    case "repeated":
      return ["repeated", `${news.count}, before the first copy was in the table`];
    case "refused":
      return ["refused", `${news.count}, answered ${REFUSALS[news.reason]} ${news.reason}`];
  }
}

/** What a receiver has counted since an earlier look; one that began anew counts from zero. */
export function receiverNews(now: ReceiverCounts, before: ReceiverCounts, at: string): WebhookNews[] {
  const repeated = now.repeated - before.repeated;
  const refused = (Object.keys(now.refused) as Refusal[]).map((reason) => {
    return { at, verdict: "refused", reason, count: now.refused[reason] - before.refused[reason] } as const;
  });
  return [{ at, verdict: "repeated", count: repeated } as const, ...refused].filter(({ count }) => count > 0);
}
