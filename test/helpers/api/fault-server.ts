import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { type ApiClient, type ApiClientOptions, createApiClient } from "../../../src/api/http/client.js";

export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

export const KEY = "sk_test_very_secret";

export type FaultServer = Awaited<ReturnType<typeof startFaultServer>>;

/** A real HTTP server of one test, and clients of it; all are released by `close`. */
export async function startFaultServer(handler: Handler) {
  const requests: string[] = [];
  const headers: IncomingMessage["headers"][] = [];
  const sockets = new Set<Socket>();
  const clients: ApiClient[] = [];
  let connections = 0;
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    headers.push(request.headers);
    handler(request, response);
  });
  server.on("connection", (socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    requests,
    headers,
    connections: () => connections,
    client: (options?: Partial<ApiClientOptions>) => {
      const client = createApiClient({
        baseUrl: url,
        apiKey: KEY,
        concurrency: 4,
        headersTimeoutMs: 5000,
        bodyTimeoutMs: 5000,
        maxBodyBytes: 1_000_000,
        userAgent: "nightledger-test",
        ...options,
      });
      clients.push(client);
      return client;
    },
    close: async () => {
      for (const client of clients) await client.close();
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export function json(
  response: ServerResponse,
  body: unknown,
  status = 200,
  headers: Record<string, string | string[]> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}

/** What a promise was rejected with. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => {
      throw new Error("it was not rejected");
    },
    (reason: unknown) => reason,
  );
}

/** Waits until a condition holds. */
export async function until(condition: () => boolean): Promise<void> {
  const deadline = Date.now() + 5000;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error("the condition never held");
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}
