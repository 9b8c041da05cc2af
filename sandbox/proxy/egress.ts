import { X509Certificate } from "node:crypto";
import { request as httpRequest, type IncomingMessage, type OutgoingHttpHeaders } from "node:http";
import { request as httpsRequest, type RequestOptions } from "node:https";
import type { PeerCertificate } from "node:tls";
import { type Answer, Refusal } from "../http/answer.js";
import type { ProxyDirections } from "./proxy-headers.js";

/** The largest answer of a target that is passed on. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
/** Headers of the target's connection, not of its answer. */
const HOP_BY_HOP = ["connection", "keep-alive", "transfer-encoding", "upgrade", "content-length", "trailer"];

/** A request as it goes to the target. */
interface EgressRequest extends Pick<ProxyDirections, "method" | "clientCert" | "clientKey" | "pins"> {
  readonly url: URL;
  readonly headers: OutgoingHttpHeaders;
  readonly body: Buffer;
  readonly timeoutMs: number;
}

/** Sends a request to the target; gives its answer, whatever its status. @throws Refusal 502, 504 */
export async function egress(outgoing: EgressRequest): Promise<Answer> {
  try {
    return await collect(await send(outgoing));
  } catch (error) {
    throw failure(error as Error);
  }
}

function send(outgoing: EgressRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const secure = outgoing.url.protocol === "https:";
    const { method, headers, body, timeoutMs } = outgoing;
    const options: RequestOptions = {
      method,
      headers: { ...headers, ...(body.length > 0 ? { "content-length": body.length } : {}) },
      signal: AbortSignal.timeout(timeoutMs),
      agent: false,
      ...(secure ? tlsOptions(outgoing) : {}),
    };
    const request = (secure ? httpsRequest : httpRequest)(outgoing.url, options, resolve);
    request.on("error", reject);
    request.end(body);
  });
}

/** Pinned certificates alone decide: names and authorities are not asked then. */
function tlsOptions({ clientCert: cert, clientKey: key, pins }: EgressRequest): RequestOptions {
  if (pins.length === 0) return { cert, key };
  const prints = pins.map((pin) => new X509Certificate(pin).fingerprint256);
  const checkServerIdentity = (_: string, peer: PeerCertificate) =>
    prints.includes(peer.fingerprint256) ? undefined : new Error("not a pinned certificate");
  return { cert, key, ca: [...pins], checkServerIdentity };
}

async function collect(response: IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response) {
    size += (chunk as Buffer).length;
    if (size > MAX_ANSWER_BYTES) throw new Error("the target's answer is too large");
    chunks.push(chunk as Buffer);
  }
  const headers: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(response.headers)) {
    if (value !== undefined && !HOP_BY_HOP.includes(name)) headers[name] = value;
  }
  return { status: response.statusCode ?? 502, headers, body: Buffer.concat(chunks), passedOn: true };
}

function failure(error: Error & { code?: string }): Refusal {
  if (error.name === "TimeoutError" || error.name === "AbortError") {
    return new Refusal(504, "target_timeout", "the target did not answer in time");
  }
  return new Refusal(502, "target_failed", `the target could not be asked (${error.code ?? error.message})`);
}
