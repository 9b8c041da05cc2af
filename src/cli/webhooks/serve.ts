import type { WebhookConfig } from "../../config.js";
import { SealedStore } from "../../lake/store/sealed-store.js";
import type { Logger } from "../../logger.js";
import type { ReceiverPlace } from "../../receiver/listen.js";
import { startReceiver } from "../../receiver/receiver.js";
import { RECEIVER_PATHS } from "../../receiver/routes.js";
import type { EncryptionKeys } from "../../temporal/encryption/keys.js";
import { createSealer } from "../../temporal/encryption/sealer.js";
import type { JobSurroundings } from "../session/preflight.js";
import { openServiceClient } from "../session/service-client.js";
import type { TemporalSession } from "../session/temporal-session.js";
import type { Releases } from "../terminal/releases.js";
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
