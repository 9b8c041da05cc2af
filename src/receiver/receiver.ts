import { createServer } from "node:http";
import type { Client } from "@temporalio/client";
import type { ApiClient } from "../api/http/client.js";
import type { ReceiverMode } from "../domain/webhooks/rejection.js";
import type { SealedStore } from "../lake/store/sealed-store.js";
import { followUpNames, stagedEvents } from "../lake/webhooks/staged-events.js";
import type { Logger } from "../logger.js";
import { addressOf, type ListenPlace, listen } from "../temporal/listen.js";
import type { Metrics } from "../temporal/metrics.js";
import { type ReceiverCounts, RequestCounts } from "./counts.js";
import { CustomerNotice, EventNotice } from "./notices.js";
import { type Answer, createRoutes, type RouteLimits, refusalAnswer, writeAnswer } from "./routes.js";
import { Signatures } from "./signatures.js";

export interface ReceiverLimits extends RouteLimits {
  readonly connections: number;
  readonly headersMs: number;
  readonly requestMs: number;
  readonly graceMs: number;
}

const LIMITS: ReceiverLimits = {
  bodyBytes: 256 * 1024,
  webhooksAtOnce: 128,
  sessionsAtOnce: 16,
  connections: 1_024,
  headersMs: 5_000,
  requestMs: 10_000,
  graceMs: 15_000,
};
const KEEP_ALIVE_MS = 15_000;

/** What does not happen where a receiver can't listen. */
export const NO_WEBHOOKS = "no webhooks are received";

export interface ReceiverOptions extends ListenPlace {
  readonly secrets: readonly string[];
  readonly mode: ReceiverMode;
  readonly scope: string;
  readonly taskQueue: string;
  readonly client: Client;
  readonly sealed: SealedStore;
  readonly api: ApiClient;
  readonly log: Logger;
  /** Left out: nothing is counted beyond what `/healthz` says. */
  readonly metrics?: Pick<Metrics, "received"> | undefined;
  readonly limits?: Partial<ReceiverLimits>;
}

export interface Receiver {
  readonly url: string;
  counts(): ReceiverCounts;
  /** Finishes the open requests, then releases everything. */
  stop(): Promise<void>;
}

/**
 * Serves the service's webhooks and the tokens of finished flows over HTTP (docs/use/webhooks.md).
 *
 * @throws InputError where the port can't be taken.
 */
export async function startReceiver(options: ReceiverOptions): Promise<Receiver> {
  const { client, scope, taskQueue } = options;
  const limits = { ...LIMITS, ...options.limits };
  const counts = new RequestCounts(options.log, options.metrics?.received);
  const notice = new EventNotice(client, scope, taskQueue, (err) =>
    options.log.warn(
      { err },
      "could not tell the workflow that writes webhooks into their table; they stay staged",
    ),
  );
  const signatures = new Signatures(options.secrets);
  const customers = new CustomerNotice(client, options.sealed, { scope, taskQueue });
  const answer = createRoutes({ ...options, customers, signatures, notice, counts }, limits);
  let stopping = false;
  const server = createServer(
    {
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      connectionsCheckingInterval: Math.min(1_000, limits.headersMs),
      keepAliveTimeout: KEEP_ALIVE_MS,
    },
    async (request, response) => {
      let reply: Answer;
      try {
        reply = await answer(request);
      } catch (error) {
        // A sender that has disconnected waits for no answer.
        if (request.destroyed && !request.complete) return;
        counts.complain(error);
        counts.countRefused("unavailable");
        reply = refusalAnswer("unavailable");
      }
      writeAnswer(request, response, reply, stopping);
    },
  );
  server.maxConnections = limits.connections;
  await listen(server, options, NO_WEBHOOKS);
  await reportEarlier(options.sealed, notice, counts);
  return {
    url: addressOf(server, options),
    counts: () => counts.counts,
    async stop() {
      stopping = true;
      const closed = new Promise((resolve) => server.close(resolve));
      const late = setTimeout(() => server.closeAllConnections(), limits.graceMs);
      await closed;
      clearTimeout(late);
      await notice.close();
      counts.close();
    },
  };
}

/** Reports what an earlier receiver staged without reporting it, and follow-ups that wait. */
async function reportEarlier(sealed: SealedStore, notice: EventNotice, counts: RequestCounts): Promise<void> {
  try {
    const staged = [...(await stagedEvents(sealed)), ...(await followUpNames(sealed))];
    if (staged.length > 0) await notice.tell();
  } catch (error) {
    counts.complain(error);
  }
}
