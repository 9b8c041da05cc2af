import { once } from "node:events";
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";

/** What happens to a request: refused with a wait, with dead credentials or for good, not answered although it took effect, half answered, or never sent on. */
export type S3Fault = "slow down" | "expired" | "not implemented" | "answer lost" | "body cut" | "reset";

/** Stands before an S3 server and harms requests. */
export interface FaultyS3 {
  readonly endpoint: string;
  /** Which of the coming requests are harmed, and how; asked for each. */
  strike: (request: {
    readonly method: string;
    readonly path: string;
    readonly headers: IncomingHttpHeaders;
    readonly number: number;
  }) => S3Fault | undefined;
  /** How many requests were harmed. */
  readonly struck: number;
  stop(): Promise<void>;
}

export async function startFaultyS3(endpoint: string): Promise<FaultyS3> {
  const target = new URL(endpoint);
  let number = 0;
  let struck = 0;
  const server = createServer(async (asked, answer) => {
    number += 1;
    const { method = "", url: path = "", headers } = asked;
    const fault = faulty.strike({ method, path, headers, number });
    if (fault !== undefined) struck += 1;
    if (fault === "reset") return asked.socket.destroy();
    if (fault === "slow down") return refuse(asked, answer, 503, "SlowDown");
    if (fault === "expired") return refuse(asked, answer, 400, "ExpiredToken");
    if (fault === "not implemented") return refuse(asked, answer, 501, "NotImplemented");
    const sent = request({ host: target.hostname, port: target.port, method, path, headers });
    sent.on("error", () => asked.socket.destroy());
    asked.pipe(sent);
    const [found] = (await once(sent, "response")) as [IncomingMessage];
    const chunks: Buffer[] = await found.toArray();
    const body = Buffer.concat(chunks);
    if (fault === "answer lost") return asked.socket.destroy();
    answer.writeHead(found.statusCode ?? 500, found.rawHeaders);
    if (fault !== "body cut" || body.length < 2) return answer.end(body);
    answer.write(body.subarray(0, body.length / 2), () => asked.socket.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const faulty = {
    endpoint: `http://127.0.0.1:${port}`,
    strike: (() => undefined) as FaultyS3["strike"],
    get struck() {
      return struck;
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  return faulty;
}

function refuse(asked: IncomingMessage, answer: ServerResponse, status: number, code: string): void {
  asked.resume().once("end", () => {
    answer.writeHead(status, { "content-type": "application/xml" });
    answer.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>${code}</Message></Error>`);
  });
}
