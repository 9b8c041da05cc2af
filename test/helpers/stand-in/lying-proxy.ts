import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

/** A request as it reached the proxy; its path is decoded. */
interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  // biome-ignore lint/suspicious/noExplicitAny: bodies of every operation
  readonly body: any;
}

/**
 * Says what is answered instead of the truth, perhaps later; undefined leaves it as it is.
 *
 * @param truth the stand-in's answer, parsed where it is JSON
 */
// biome-ignore lint/suspicious/noExplicitAny: bodies of every operation
type Lie = (seen: SeenRequest, truth: any) => unknown;

/** A proxy before the stand-in, such as a cache that mixes up answers. Its lie may change at any time. */
export interface LyingProxy {
  readonly url: string;
  /** Left undefined: honest. */
  lie: Lie | undefined;
  close(): Promise<void>;
}

/** Starts a proxy to `target` on a free port. Only answers with 2xx are lied about; resets of the service pass through. */
export async function startLyingProxy(target: string, lie?: Lie): Promise<LyingProxy> {
  const server = createServer(async (incoming, outgoing) => {
    try {
      const sent = await buffer(incoming);
      const { host: _, connection: __, "content-length": ___, ...headers } = incoming.headers;
      const answer = await fetch(target + incoming.url, {
        method: incoming.method ?? "GET",
        headers: headers as Record<string, string>,
        redirect: "manual",
        ...(sent.length > 0 && { body: sent }),
      });
      const text = Buffer.from(await answer.arrayBuffer());
      const told = answer.ok && proxy.lie ? await lieOf(proxy.lie, incoming, sent, text) : text;
      const kept = [...answer.headers].filter(
        ([name]) => !/^(content-length|connection|keep-alive|transfer-encoding)$/.test(name),
      );
      outgoing.writeHead(answer.status, { ...Object.fromEntries(kept), "content-length": told.length });
      outgoing.end(told);
    } catch {
      outgoing.socket?.resetAndDestroy();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const proxy: LyingProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    lie,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return proxy;
}

async function lieOf(
  lie: Lie,
  { method = "GET", url = "/" }: Pick<IncomingMessage, "method" | "url">,
  sent: Buffer,
  truth: Buffer,
): Promise<Buffer> {
  const { pathname, searchParams: query } = new URL(url, "http://stand.in");
  const told = await lie(
    { method, path: decodeURIComponent(pathname), query, body: jsonOf(sent) },
    jsonOf(truth),
  );
  return told === undefined ? truth : Buffer.from(JSON.stringify(told));
}

function jsonOf(text: Buffer): unknown {
  try {
    return JSON.parse(text.toString("utf8"));
  } catch {
    return undefined;
  }
}
