import { PassThrough } from "node:stream";
import { callVaultProxy } from "../../api/operations/vault-proxy.js";
import { sendTestWebhook } from "../../api/operations/webhook-test.js";
import { putStream } from "../../lake/store/sealed-stream.js";
import { callPart, shapedCallPart } from "./call-part.js";

/** What a target answered; its bytes are a sealed stream. */
export interface ProxyAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Key of the sealed stream. */
  readonly body: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** The operations of docs/service.md, "Vault proxy" and "Webhooks", as activities. */
export const proxyAndWebhookCalls = {
  callVaultProxy: shapedCallPart({
    operation: callVaultProxy,
    settle: () => ({ rule: "unknown" }),
    send: async ({ deps, prefix, request }, params, options): Promise<ProxyAnswer> => {
      const body = `${prefix}body`;
      const through = new PassThrough();
      const stored = putStream(deps.sealed, body, through).catch((error) => {
        through.destroy(error);
        throw error;
      });
      // Whichever of the two breaks ends the other; what the call says comes first.
      stored.catch(() => undefined);
      const { anyStatus } = request;
      const head = await deps.api.download(callVaultProxy, params, through, { ...options, anyStatus });
      return { ...head, body, ...(await stored) };
    },
    facts: ({ status, bytes }) => ({ status, bytes }),
  }),
  sendTestWebhook: callPart({
    operation: sendTestWebhook,
    settle: (_, { body }) => ({ rule: body.idempotency_key === undefined ? "unknown" : "again" }),
    facts: () => ({}),
  }),
};
