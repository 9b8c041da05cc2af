import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Payload, PayloadCodec } from "@temporalio/common";
import { InputError } from "../domain/failures.js";
import type { EncryptionKeys } from "./encryption/keys.js";
import { dataConverter, UNSEALED_PAYLOAD } from "./encryption/payload-codec.js";
import { addressOf, closeNow, isSame, type ListenPlace, listen, shortBody } from "./listen.js";

interface CodecServerOptions extends ListenPlace {
  readonly keys: EncryptionKeys;
  /** Comes as a bearer token, or as the first part of the path. */
  readonly token: string;
  /** Of the pages that may ask. */
  readonly origins: readonly string[];
}

export interface CodecServer {
  readonly url: string;
  stop(): Promise<void>;
}

const MOST_BYTES = 16 * 1024 * 1024;
const ALLOWED_HEADERS = "authorization, content-type, x-namespace";

interface Answer {
  readonly status: number;
  readonly body?: object;
}

/** A payload as Temporal's UI and CLI send it: bytes in base64. */
interface JsonPayload {
  readonly metadata?: Readonly<Record<string, string>>;
  readonly data?: string;
}

/**
 * Serves Temporal's protocol of codec servers, by which its UI and CLI show inputs and results in the clear
 * (docs/inside/security.md, "Who can read what Temporal holds").
 *
 * @throws InputError where the port can't be used
 */
export async function startCodecServer(options: CodecServerOptions): Promise<CodecServer> {
  const server = createServer((request, response) => {
    answer(options, request)
      .catch((error): Answer => {
        const isKnown = error instanceof InputError || error instanceof SyntaxError;
        return { status: isKnown ? 400 : 500, body: { message: isKnown ? error.message : "failed" } };
      })
      .then((reply) => write(response, options, request, reply));
  });
  await listen(server, options, "nothing was started");
  return {
    url: addressOf(server, options),
    stop: () => closeNow(server),
  };
}

async function answer(options: CodecServerOptions, request: IncomingMessage): Promise<Answer> {
  const { origin, authorization = "" } = request.headers;
  if (origin !== undefined && !options.origins.includes(origin)) return { status: 403 };
  if (request.method === "OPTIONS") return { status: 204 };
  const [token = "", step = ""] = partsOf(request.url ?? "", authorization);
  if (!isSame(token, options.token)) return { status: 401 };
  if (request.method !== "POST") return { status: 405 };
  if (step !== "decode" && step !== "encode") return { status: 404 };
  const body = await shortBody(request, MOST_BYTES);
  if (body === undefined) return { status: 413 };
  const { payloads = [] } = JSON.parse(body) as { payloads?: readonly JsonPayload[] };
  // The CLI sends an empty one where nobody named any.
  const namespace = String(request.headers["x-namespace"] || "default");
  const codecs = dataConverter(options.keys, namespace).payloadCodecs;
  const coded = await through(codecs, step, payloads.map(payloadOf));
  return { status: 200, body: { payloads: coded.map(jsonOf) } };
}

/** The token and the step: of `/<token>/decode`, or of the header and `/decode`. */
function partsOf(url: string, authorization: string): (string | undefined)[] {
  const parts = (url.split("?")[0] ?? "").split("/").slice(1);
  return parts.length > 1 ? [parts[0], parts[1]] : [authorization.replace(/^Bearer /i, ""), parts[0]];
}

async function through(
  codecs: readonly PayloadCodec[],
  step: "decode" | "encode",
  payloads: Payload[],
): Promise<Payload[]> {
  let coded = payloads;
  for (const codec of step === "encode" ? codecs : codecs.toReversed()) coded = await codec[step](coded);
  // What is not sealed, such as search attributes, is shown as it is.
  return coded.map((payload, at) => (payload === UNSEALED_PAYLOAD ? (payloads[at] ?? payload) : payload));
}

function payloadOf({ metadata = {}, data = "" }: JsonPayload): Payload {
  const bytes = Object.entries(metadata).map(([name, text]) => [name, Buffer.from(text, "base64")]);
  return { metadata: Object.fromEntries(bytes), data: Buffer.from(data, "base64") };
}

function jsonOf({ metadata, data }: Payload): JsonPayload {
  const texts = Object.entries(metadata ?? {}).map(([name, bytes]) => [name, base64(bytes)]);
  return { metadata: Object.fromEntries(texts), data: base64(data) };
}

function base64(bytes: Uint8Array | null | undefined): string {
  return Buffer.from(bytes ?? []).toString("base64");
}

function write(
  response: ServerResponse,
  { origins }: CodecServerOptions,
  { headers: { origin } }: IncomingMessage,
  { status, body }: Answer,
): void {
  const isAllowed = origin !== undefined && origins.includes(origin);
  response.writeHead(status, {
    ...(isAllowed && {
      "access-control-allow-origin": origin,
      "access-control-allow-headers": ALLOWED_HEADERS,
      "access-control-allow-methods": "POST, OPTIONS",
      vary: "origin",
    }),
    ...(body !== undefined && { "content-type": "application/json" }),
    "cache-control": "no-store",
  });
  response.end(body === undefined ? "" : JSON.stringify(body));
}
