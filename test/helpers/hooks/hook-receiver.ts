import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { secretOf, signedHeaders } from "../webhooks/signed-webhook.js";

export const HOOK_SECRET = secretOf("a secret of hooks.......");

/** A request that came, taken or not. */
interface ReceivedMessage {
  readonly id: string;
  readonly isSigned: boolean;
  readonly contentType: string | undefined;
  readonly body: {
    readonly event: string;
    readonly text: string;
    readonly content: string;
    readonly board: string | null;
    readonly run: Readonly<Record<string, unknown>> | null;
  };
  /** What it was answered with. */
  readonly status: number;
}

/** A real HTTP server that hooks call. */
export async function startHookReceiver() {
  const requests: ReceivedMessage[] = [];
  const refusals: number[] = [];
  const server = createServer(async (request, response: ServerResponse) => {
    let text = "";
    for await (const chunk of request.setEncoding("utf8")) text += chunk;
    const {
      "webhook-id": id,
      "webhook-timestamp": timestamp,
      "webhook-signature": signature,
    } = request.headers;
    const expected = signedHeaders(text, {
      id: String(id),
      timestamp: Number(timestamp),
      secret: HOOK_SECRET,
    });
    const status = refusals.shift() ?? 204;
    requests.push({
      id: String(id),
      isSigned: signature === expected["webhook-signature"],
      contentType: request.headers["content-type"],
      body: JSON.parse(text),
      status,
    });
    response.writeHead(status, status === 429 ? { "retry-after": "1" } : {}).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/services/T0/secret`,
    requests,
    /** Events of the messages that were taken, in their order. */
    taken: () => requests.filter(({ status }) => status === 204).map(({ body }) => body.event),
    /** The next requests are refused with these statuses, one after the other. */
    refuse: (...statuses: number[]) => void refusals.push(...statuses),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
