import { readConfig, type WebhookConfig } from "../../config.js";
import { InputError } from "../../domain/failures.js";
import { NO_WEBHOOKS, startReceiver } from "../../receiver/receiver.js";
import { RECEIVER_PATHS } from "../../receiver/routes.js";
import { checkPlace, type ListenPlace } from "../../temporal/listen.js";
import type { Metrics } from "../../temporal/metrics.js";
import { watchOpenRows } from "../../temporal/onboarding/open-rows.js";
import { endRuntime } from "../../temporal/runtime.js";
import { type JobSession, openJobSession } from "../session/job-session.js";
import { exportMetrics } from "../session/metrics.js";
import { type Preflight, readJobConfig, runPreflight } from "../session/preflight.js";
import { openServiceClient } from "../session/service.js";
import { aborted, type Releases, withInterruption } from "../terminal/interruption.js";
import type { Terminal } from "../terminal/terminal.js";

/** Starts a webhook receiver within a command, and prints its address; it ends with the command. */
export async function openReceiver(
  terminal: Terminal,
  { preflight, temporal, sealed, log }: JobSession,
  webhooks: WebhookConfig & ListenPlace & { readonly metrics: Metrics | undefined },
  releases: Releases,
): Promise<void> {
  const { config, scope, taskQueue } = preflight;
  const api = openServiceClient(config.api, webhooks.metrics?.called);
  releases.add(() => api.close());
  const { client } = temporal;
  const receiver = await startReceiver({ ...webhooks, scope, taskQueue, client, sealed, api, log });
  releases.add(() => receiver.stop());
  terminal.say(`webhooks  ${receiver.url}${RECEIVER_PATHS.webhooks}, ${webhooks.mode} mode`);
}

/** Refuses a webhook mode that is not the lake's. @throws InputError (exit 2). */
export function checkWebhookMode({ mode }: WebhookConfig, { service, store }: Preflight): void {
  if (service.mode === null || service.mode === mode) return;
  throw new InputError(
    `NIGHTLEDGER_WEBHOOK_MODE: ${mode}, but the lake ${store.address} holds ${service.mode} data of ${service.url}. ` +
      `Nothing was started. Set it to ${service.mode}, or name another lake in NIGHTLEDGER_LAKE.`,
  );
}

/** Runs a receiver until Ctrl-C. In embedded mode the command also runs Temporal's server and a worker. */
export async function serveWebhooks(terminal: Terminal, place: ListenPlace): Promise<void> {
  const configuration = readJobConfig(terminal);
  const { webhooks } = readConfig(terminal, ["webhooks"]);
  const preflight = await runPreflight(terminal, configuration);
  checkWebhookMode(webhooks, preflight);
  await checkPlace(place, NO_WEBHOOKS);
  const metrics = await exportMetrics(terminal);
  await withInterruption(async (held) => {
    if (metrics) held.releases.add(endRuntime);
    const session = await openJobSession(terminal, preflight, held);
    if (metrics) held.releases.add(watchOpenRows(session.temporal.client, preflight.scope, metrics));
    await openReceiver(terminal, session, { ...webhooks, ...place, metrics }, held.releases);
    terminal.say("Events appear in the table webhook_events within seconds. Ctrl-C stops the receiver.");
    await Promise.race([aborted(session.signal), session.temporal.lost]);
  });
}
