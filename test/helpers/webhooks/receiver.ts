import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

/** Starts a real HTTP server that keeps what it gets, for webhooks and as a proxy's target; it answers 200, empty. */
export async function startReceiver() {
  const received: Received[] = [];
  const receiver = { received, answer: (_: Received): Reply | Promise<Reply> => ({}) };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = "", url = "", headers } = request;
    const one = { method, path: url, headers, body: Buffer.concat(chunks) };
    received.push(one);
    const { status = 200, headers: sent = {}, body = "" } = await receiver.answer(one);
    response.writeHead(status, sent).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return Object.assign(receiver, { url, close });
}
