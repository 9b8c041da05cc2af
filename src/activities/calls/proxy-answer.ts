import { createHash } from "node:crypto";
import { PassThrough, Writable } from "node:stream";
import type { CallOptions } from "../../api/http/client.js";
import { ApiError, AuthError } from "../../api/http/errors.js";
import type { ParamsOf } from "../../api/operations/operation.js";
import { getUser } from "../../api/operations/user.js";
import { callVaultProxy } from "../../api/operations/vault-proxy.js";
import { NOBODY } from "../../domain/service/external-id.js";
import type { ProxyAnswer, ProxyDigest, SealedRequest } from "../../lake/calls/staged-call.js";
import { putStream } from "../../lake/store/sealed-store.js";
import type { Dependencies } from "../dependencies.js";

interface ProxyPlace {
  readonly deps: Dependencies;
  readonly prefix: string;
  readonly request: SealedRequest;
}

type ProxyParams = ParamsOf<typeof callVaultProxy>;

/** Calls a proxy and keeps all bytes of its answer as a sealed stream. */
export async function streamProxyAnswer(
  { deps, prefix, request }: ProxyPlace,
  params: ProxyParams,
  options: CallOptions,
): Promise<ProxyAnswer> {
  const body = `${prefix}body`;
  const through = new PassThrough();
  const stored = putStream(deps.sealed, body, through).catch((error) => {
    through.destroy(error);
    throw error;
  });
  // A failure of either ends the other; the call's own error wins.
  stored.catch(() => undefined);
  const accepted = { ...options, ...(request.anyStatus && { accepts: () => true }) };
  const { status, headers } = await deps.api.download(callVaultProxy, params, through, accepted);
  return { status, headers, body, ...(await stored) };
}

/**
 * Calls a proxy and keeps a digest of its answer, whatever its status is. Nothing tells the target's statuses from the
 * service's own, so the few that must not end a request are judged by what they mean (docs/use/proxy.md, "Answers").
 *
 * @throws RateLimitedError for 429, and TransientError for 502, 503 and 504 to a request that may be repeated.
 * @throws AuthError for 401 and 403 while the service refuses the key of this job too.
 */
export async function digestProxyAnswer(
  { deps, request: { repeatable } }: ProxyPlace,
  params: ProxyParams,
  options: CallOptions,
  keepBytes: number,
): Promise<ProxyDigest> {
  const accepts = (status: number) => status !== 429 && !(repeatable === true && PASSING.includes(status));
  const answer = new AnswerDigest(keepBytes);
  const { status, headers, durationMs } = await deps.api.download(callVaultProxy, params, answer, {
    ...options,
    accepts,
  });
  if ((status === 401 || status === 403) && (await isKeyRefused(deps, options))) {
    throw new AuthError({ operation: callVaultProxy.name, status, sent: true });
  }
  const contentType = headers["content-type"] ?? null;
  return { status, contentType, durationMs: Math.round(durationMs), ...answer.facts() };
}

/** Statuses of a gateway that may get an answer later. */
const PASSING: readonly number[] = [502, 503, 504];

/** Milliseconds that the check of a key may wait to start: the slice may be at its end. */
const KEY_CHECK_WITHIN_MS = 10_000;

/** Asks the service itself whether it refuses the key. An answer of any other kind proves nothing. */
async function isKeyRefused({ api }: Dependencies, { signal, run }: CallOptions): Promise<boolean> {
  const notAfter = Date.now() + KEY_CHECK_WITHIN_MS;
  try {
    await api.call(getUser, { path: { fp_id: NOBODY } }, { signal, run, notAfter });
    return false;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return error instanceof AuthError;
  }
}

/** Counts and hashes the bytes of an answer, and keeps them as long as they are few. */
class AnswerDigest extends Writable {
  readonly #hash = createHash("sha256");
  #bytes = 0;
  #kept: Buffer[] = [];

  constructor(private readonly keepBytes: number) {
    super();
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#hash.update(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes <= this.keepBytes) this.#kept.push(chunk);
    else this.#kept = [];
    done();
  }

  facts(): Pick<ProxyDigest, "bytes" | "sha256" | "body"> {
    const isKept = this.#bytes <= this.keepBytes;
    return {
      bytes: this.#bytes,
      sha256: this.#hash.digest("hex"),
      body: isKept ? Buffer.concat(this.#kept).toString("base64") : null,
    };
  }
}
