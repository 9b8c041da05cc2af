import { hash, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import type { Server as HttpServer, IncomingMessage } from "node:http";
import { type AddressInfo, createServer, type Server } from "node:net";
import { InputError } from "../domain/failures.js";

export interface ListenPlace {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
}

/** @param otherwise what does not happen where the port can't be used @throws InputError */
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

/** Checks that a server could listen there. @throws InputError as {@link listen}. */
export async function checkPlace(place: ListenPlace, otherwise: string): Promise<void> {
  const probe = createServer();
  await listen(probe, place, otherwise);
  await new Promise((resolve) => probe.close(resolve));
}

export function addressOf(server: Server, { host }: ListenPlace): string {
  const { port } = server.address() as AddressInfo;
  return placeAddress({ host, port });
}

/** What this machine opens to reach a place. */
export function placeAddress({ host, port }: ListenPlace): string {
  const own = OWN[host] ?? host;
  return `http://${own.includes(":") ? `[${own}]` : own}:${port}`;
}

const OWN: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "::1" };

/**
 * Whether a request names a server of this machine: by an address, a name without a dot, or the name at which it listens.
 * Another site's name that leads here would read in its visitors' names (DNS rebinding).
 */
export function isOwnName(host: string, own: string): boolean {
  const name = host.replace(/:\d+$/, "");
  return /^([\w-]+|\d+(\.\d+){3}|\[[\da-f:]+\])$/i.test(name) || (name !== "" && name === own);
}

/** The body of a request; undefined as soon as it is longer than `most` bytes. */
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
export function isSame(one: string, other: string): boolean {
  return timingSafeEqual(hash("sha256", one, "buffer"), hash("sha256", other, "buffer"));
}
