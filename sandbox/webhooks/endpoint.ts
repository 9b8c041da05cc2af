import { type Agent, request } from "node:http";
import { InputError } from "../../src/domain/failures.js";
import { loopbackUrl } from "../http/loopback.js";

/** Where webhooks go; on this machine only. */
export interface NewEndpoint {
  url: string;
  /** `whsec_<base64>`; several while a secret is rotated: each signs. Default: made by the seed. */
  secrets?: readonly string[];
  /** Only these kinds; default: all. */
  events?: readonly string[];
  /** Deliveries on their way at a time; default 1: they come in the order in which they were sent. */
  atOnce?: number;
}

/** A registered endpoint. Its deliveries go in lanes, in each one after another. */
export interface Endpoint {
  readonly id: string;
  readonly url: URL;
  secrets: readonly string[];
  readonly events: readonly string[] | undefined;
  /** The end of each lane's last delivery; the first lane is the next one's. */
  readonly lanes: Promise<void>[];
}

/** Checks an endpoint. @throws InputError for another machine, a secret of another form, or no lane. */
export function endpointOf(
  id: string,
  { url, secrets, events, atOnce = 1 }: NewEndpoint,
  secret: string,
): Endpoint {
  const checked = secrets ?? [secret];
  checkSecrets(checked);
  const target = loopbackUrl(url, "webhook endpoint");
  if (target.protocol !== "http:")
    throw new InputError("webhook endpoint: http is accepted; nothing was registered");
  if (!Number.isInteger(atOnce) || atOnce < 1)
    throw new InputError("webhook endpoint: atOnce is an integer from 1; nothing was registered");
  const lanes = Array.from({ length: atOnce }, () => Promise.resolve());
  return { id, url: target, secrets: checked, events, lanes };
}

/** @throws InputError that does not quote the secret. */
export function checkSecrets(secrets: readonly string[]): void {
  if (secrets.length === 0 || secrets.some((secret) => !/^whsec_[A-Za-z0-9+/]+={0,2}$/.test(secret))) {
    throw new InputError("webhook endpoint: secrets are of the form whsec_<base64>; nothing was changed");
  }
}

/** Posts a body; gives the status, or the code of what went wrong. */
export function post(
  agent: Agent,
  url: URL,
  headers: Readonly<Record<string, string>>,
  body: string,
  timeoutMs: number,
): Promise<number | string> {
  return new Promise((resolve) => {
    const bytes = Buffer.from(body);
    const outgoing = request(url, {
      agent,
      method: "POST",
      headers: { "content-type": "application/json", "content-length": bytes.length, ...headers },
      signal: AbortSignal.timeout(timeoutMs),
    });
    outgoing.on("response", (response) => {
      response.resume();
      response.on("end", () => resolve(response.statusCode ?? 0));
      response.on("error", () => resolve("ECONNRESET"));
    });
    outgoing.on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? "error"));
    outgoing.end(bytes);
  });
}
