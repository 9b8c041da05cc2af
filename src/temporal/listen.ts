import { hash, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import type { Server as HttpServer, IncomingMessage } from "node:http";
import { type AddressInfo, createServer, type Server } from "node:net";
import { InputError } from "../domain/failures.js";

/** Where a server of ours listens. */
export interface ListenPlace {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
}

/**
 * Listens.
 *
 * @param otherwise what does not happen where the port can't be used
 * @throws InputError
 */
export function listen(server: Server, { host, port }: ListenPlace, otherwise: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      reject(
        new InputError(
          `port ${port} of ${host} can't be used (${error.code}); ${otherwise}. Give another port or host, or end the program that uses it`,
        ),
      );
    });
    server.listen(port, host, resolve);
  });
}

/** Checks that a server could listen there, before anything is started. @throws InputError as {@link listen}. */
export async function checkPlace(place: ListenPlace, otherwise: string): Promise<void> {
  const probe = createServer();
  await listen(probe, place, otherwise);
  await new Promise((resolve) => probe.close(resolve));
}

export function addressOf(server: Server, { host }: ListenPlace): string {
  const { port } = server.address() as AddressInfo;
  return placeAddress({ host, port });
}

/** What this machine opens to reach a place; where it is all of the machine's addresses, the machine's own. */
export function placeAddress({ host, port }: ListenPlace): string {
  const own = OWN[host] ?? host;
  return `http://${own.includes(":") ? `[${own}]` : own}:${port}`;
}

const OWN: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "::1" };

/**
 * Whether a request asks for a server of this machine: by an address, a name without a dot, or the name at which it
 * listens. Any other name may be another site's that leads here, which would read in its visitors' names (DNS rebinding).
 */
export function isOwnName(asked: string, own: string): boolean {
  const name = asked.replace(/:\d+$/, "");
  return /^([\w-]+|\d+(\.\d+){3}|\[[\da-f:]+\])$/i.test(name) || (name !== "" && name === own);
}

/** Reads the body of a request; undefined as soon as it is longer than `most` bytes. */
export async function shortBody(request: IncomingMessage, most: number): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > most) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** Ends a server and every connection that it has. */
export async function closeNow(server: HttpServer): Promise<void> {
  const closed = once(server, "close");
  server.close();
  server.closeAllConnections();
  await closed;
}

/** Compares secrets in a time that tells nothing of where they differ. */
export function isSame(given: string, wanted: string): boolean {
  return timingSafeEqual(hash("sha256", given, "buffer"), hash("sha256", wanted, "buffer"));
}
