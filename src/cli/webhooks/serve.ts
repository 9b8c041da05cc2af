import type { WebhookConfig } from "../../config.js";
import { readConfig } from "../../config.js";
import { SealedStore } from "../../lake/store/sealed-store.js";
import type { Logger } from "../../logger.js";
import type { ReceiverPlace } from "../../receiver/listen.js";
import { checkPlace } from "../../receiver/listen.js";
import { startReceiver } from "../../receiver/receiver.js";
import { RECEIVER_PATHS } from "../../receiver/routes.js";
import type { EncryptionKeys } from "../../temporal/encryption/keys.js";
import { createSealer } from "../../temporal/encryption/sealer.js";
import type { JobSurroundings } from "../session/preflight.js";
import {
  inspectSurroundings,
  openJobTemporal,
  openServiceClient,
  readJobConfig,
} from "../session/preflight.js";
import type { TemporalSession } from "../session/temporal-session.js";
import { aborted, interruption } from "../terminal/interruption.js";
import { Releases } from "../terminal/releases.js";
import type { Terminal } from "../terminal/terminal.js";

/** What a command holds while a receiver serves. */
export interface ReceiverSurroundings {
  readonly surroundings: JobSurroundings;
  readonly webhooks: WebhookConfig;
  readonly temporal: TemporalSession;
  readonly log: Logger;
  readonly keys: EncryptionKeys;
}

/** Starts a receiver of webhooks within a command, and says where it listens; it ends with the command. */
export async function openReceiver(
  terminal: Terminal,
  { surroundings, webhooks, temporal, log, keys }: ReceiverSurroundings,
  place: ReceiverPlace,
  releases: Releases,
): Promise<void> {
  const { config, store, scope, taskQueue } = surroundings;
  const api = openServiceClient(config.api);
  releases.add(() => api.close());
  const sealed = new SealedStore(store, createSealer(keys));
  const { client } = temporal;
  const receiver = await startReceiver({
    ...{ ...webhooks, ...place },
    ...{ scope, taskQueue, client, sealed, api, log },
  });
  releases.add(() => receiver.stop());
  terminal.say(`webhooks  ${receiver.url}${RECEIVER_PATHS.webhooks}, ${webhooks.mode} mode`);
}

/** Receives webhooks until it is stopped; in embedded mode with a server and a worker. */
export async function serveWebhooks(terminal: Terminal, place: ReceiverPlace): Promise<void> {
  const configuration = readJobConfig(terminal);
  const { webhooks } = readConfig({ env: terminal.env, cwd: terminal.cwd }, ["webhooks"]);
  const surroundings = await inspectSurroundings(terminal, configuration);
  await checkPlace(place);
  const releases = new Releases();
  try {
    const { signal } = interruption(releases);
    const opened = await openJobTemporal(surroundings, terminal, releases, { signal });
    await openReceiver(terminal, { surroundings, webhooks, ...opened }, place, releases);
    terminal.say("Events are in the table webhook_events seconds after they came. Ctrl-C ends it.");
    await Promise.race([aborted(signal), opened.temporal.lost]);
  } finally {
    await releases.run();
  }
}
