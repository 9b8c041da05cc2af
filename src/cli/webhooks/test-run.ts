import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { ApiClient } from "../../api/http/client.js";
import { sendTestWebhook } from "../../api/operations/webhook-test.js";
import { readConfig } from "../../config.js";
import { InputError } from "../../domain/failures.js";
import { EVENT_KINDS, type EventKind } from "../../domain/service/event-kind.js";
import { eventFacts } from "../../domain/webhooks/event-facts.js";
import { rowsOf, withStoreQuery } from "../../lake/query/store-query.js";
import type { ObjectStore } from "../../lake/store/object-store.js";
import { SealedStore } from "../../lake/store/sealed-store.js";
import { webhookEvents } from "../../lake/tables/webhook-events.js";
import { stagedEvent, stagedEvents } from "../../lake/webhooks/staged-events.js";
import { createSealer } from "../../temporal/encryption/cipher.js";
import { type Preflight, runPreflight } from "../session/preflight.js";
import { openServiceClient } from "../session/service.js";
import { EXIT } from "../terminal/exit-code.js";
import { withInterruption } from "../terminal/interruption.js";
import type { Terminal } from "../terminal/terminal.js";

interface WebhookTestFlags {
  readonly kind: readonly (EventKind | "all")[];
  readonly timeout: number;
  readonly json?: boolean;
}

interface TestedKind {
  readonly kind: EventKind;
  readonly seen: boolean;
  /** From the request until the event was seen, or the timeout. */
  readonly duration_ms: number;
}

const POLL_EVERY_MS = 250;

/** Makes the service send test webhooks, and waits until a receiver has taken each. Returns the exit code. */
export async function testWebhooks(terminal: Terminal, flags: WebhookTestFlags): Promise<number> {
  const preflight = await runPreflight(terminal);
  const { webhooksIfAny } = readConfig(terminal, ["webhooksIfAny"]);
  const sealed = sealedStore(preflight);
  return withInterruption(async ({ signal, releases }) => {
    const client = openServiceClient(preflight.config.api);
    releases.add(() => client.close());
    const tested: TestedKind[] = [];
    for (const kind of flags.kind.flatMap((kind) => (kind === "all" ? EVENT_KINDS : [kind]))) {
      const asked = { isLive: webhooksIfAny.mode === "live", timeoutMs: flags.timeout * 1_000, signal };
      tested.push(await testOne(client, arrivalIn(preflight.store, sealed), kind, asked));
    }
    if (flags.json) terminal.result(JSON.stringify({ items: tested }));
    for (const { kind, seen, duration_ms } of flags.json ? [] : tested)
      terminal.result(`${kind}  ${seen ? "seen after" : "not seen in"} ${duration_ms} ms`);
    if (tested.every(({ seen }) => seen)) return EXIT.completed;
    terminal.say(
      "the service accepted the test, but no receiver of this lake has seen the event. Check that a receiver runs (`nightledger webhooks serve`), that the service sends to its address, and its counts at /healthz",
    );
    return EXIT.failures;
  });
}

async function testOne(
  api: ApiClient,
  hasArrived: (mark: string) => Promise<boolean>,
  kind: EventKind,
  { isLive, timeoutMs, signal }: { isLive: boolean; timeoutMs: number; signal: AbortSignal },
): Promise<TestedKind> {
  const mark = `nightledger-test-${randomBytes(6).toString("hex")}`;
  const started = Date.now();
  const payload = testEvent(kind, { mark, isLive, at: new Date(started) });
  await api.read(sendTestWebhook, { body: { idempotency_key: mark, payload } }, { signal });
  const since = () => Date.now() - started;
  let seen = await hasArrived(mark);
  while (!seen && since() < timeoutMs) {
    await sleep(POLL_EVERY_MS, undefined, { signal }).catch(() => signal.throwIfAborted());
    seen = await hasArrived(mark);
  }
  return { kind, seen, duration_ms: since() };
}

/** Looks for a marked event: in staging, where a receiver puts it first, and in the table. */
function arrivalIn(store: ObjectStore, sealed: SealedStore): (mark: string) => Promise<boolean> {
  const looked = new Set<string>();
  return async (mark) => {
    for (const { name } of await stagedEvents(sealed)) {
      if (looked.has(name)) continue;
      looked.add(name);
      const event = await stagedEvent(sealed, name);
      if (event !== undefined && eventFacts(JSON.parse(event.body))?.onboardingId === mark) return true;
    }
    const sql = `select 1 from webhook_events where onboarding_id = '${mark}' limit 1`;
    const rows = await withStoreQuery(store, (query) => rowsOf(query, sql), { tables: [webhookEvents] });
    return rows.length > 0;
  };
}

function sealedStore({ keys, store, config }: Preflight): SealedStore {
  if (keys !== undefined) return new SealedStore(store, createSealer(keys));
  throw new InputError(
    `${config.home.path} holds no keys yet, so no receiver has run here; nothing was sent. Start one first: nightledger webhooks serve`,
  );
}

/**
 * The payload of a test webhook (docs/reference/service.md, "Test webhook"). It is about nobody: no customer is woken
 * and no bank link is read again.
 */
export function testEvent(
  kind: EventKind,
  { mark, isLive, at }: { readonly mark: string; readonly isLive: boolean; readonly at: Date },
): { event_kind: EventKind; [field: string]: unknown } {
  const event = { event_kind: kind, timestamp: at.toISOString(), is_live: isLive, onboarding_id: mark };
  if (kind !== "service.onboarding.completed") return event;
  const nobody = "nightledger-test";
  return {
    ...event,
    fp_id: nobody,
    external_id: null,
    onboarding_external_id: null,
    playbook_key: nobody,
    playbook_version: 1,
    status: "pass",
    requires_manual_review: false,
  };
}
