import { InputError } from "../../src/domain/failures.js";

const LOOPBACK = new Set(["127.0.0.1", "localhost", "[::1]"]);

/** An address on this machine: the stand-in sends nothing anywhere else. @throws InputError */
export function loopbackUrl(text: string, what: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || !LOOPBACK.has(url.hostname)) {
    throw new InputError(`${what}: an address on 127.0.0.1 is needed; nothing was registered`);
  }
  return url;
}
