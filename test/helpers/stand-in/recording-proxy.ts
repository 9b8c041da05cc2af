import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** One answer of the service to a sync call, byte for byte; `body` as far as it came. */
export interface RecordedAnswer {
  readonly link: string;
  readonly cursor: string | undefined;
  readonly size: string | undefined;
  readonly status: number;
  readonly body: Buffer;
}

const SYNC_PATH = /^\/bank_links\/([^/]+)\/transactions\/sync$/;

/** Starts a proxy to `target` that keeps what went through it, so that certificates can be made again; resets, cuts and hangs of the service pass through. */
export async function startRecordingProxy(target: string) {
  /** In the order in which they ended. */
  const answers: RecordedAnswer[] = [];
  const agent = new Agent({ keepAlive: true });
  const server = createServer((incoming, outgoing) => {
    const upstream = request(target + incoming.url, {
      agent,
      method: incoming.method,
      headers: { ...incoming.headers, host: new URL(target).host },
    });
    const cut = () => outgoing.socket?.resetAndDestroy();
    upstream.on("error", cut);
    outgoing.on("close", () => upstream.destroy());
    upstream.on("response", (answer) => pass(incoming, answer, outgoing, cut));
    incoming.pipe(upstream);
  });
  server.keepAliveTimeout = 600_000;
  server.requestTimeout = 0;

  function pass(
    incoming: IncomingMessage,
    answer: IncomingMessage,
    outgoing: ServerResponse,
    cut: () => void,
  ): void {
    const chunks: Buffer[] = [];
    const { statusCode = 0, headers } = answer;
    outgoing.writeHead(statusCode, headers);
    answer.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      outgoing.write(chunk);
    });
    answer.on("error", cut);
    answer.on("end", () => {
      const { pathname, searchParams } = new URL(incoming.url ?? "/", target);
      const link = SYNC_PATH.exec(pathname)?.[1];
      if (link !== undefined) {
        answers.push({
          link: decodeURIComponent(link),
          cursor: searchParams.get("cursor") ?? undefined,
          size: searchParams.get("size") ?? undefined,
          status: statusCode,
          body: Buffer.concat(chunks),
        });
      }
      outgoing.end();
    });
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answers,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
        agent.destroy();
      }),
  };
}
