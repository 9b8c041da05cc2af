import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { expect } from "vitest";

/** A connection on which bytes are sent as they are, as slowly as a test likes. */
interface RawSender {
  says(pattern: RegExp): Promise<void>;
  send(bytes: string): void;
  /** Bytes that the system took. */
  sent(): number;
  end(): void;
  /** Everything that came back, once the connection is closed. */
  readonly ended: Promise<string>;
}

/** Opens a connection to an address and begins with these bytes. */
export function openRawSender(url: string, begin: string): RawSender {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  let text = "";
  socket.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
  });
  // Cut off while it sends, it is to be seen by its end alone.
  socket.on("error", () => undefined);
  socket.write(begin);
  return {
    says: (pattern) => expect.poll(() => text).toMatch(pattern),
    send: (bytes) => void socket.write(bytes),
    sent: () => socket.bytesWritten - socket.writableLength,
    end: () => void socket.destroy(),
    ended: new Promise((resolve) => socket.on("close", () => resolve(text))),
  };
}

/** Sends bytes as they are; everything that comes back until the connection ends. */
export function rawAnswer(url: string, bytes: string): Promise<string> {
  return openRawSender(url, bytes).ended;
}

export async function startSilentServer(): Promise<{ readonly port: number; close(): Promise<void> }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => sockets.add(socket.on("error", () => undefined)));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
