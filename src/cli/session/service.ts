import { type ApiClient, createApiClient } from "../../api/http/client.js";
import { ApiError, AuthError, NotSentError, SchemaError, TransientError } from "../../api/http/errors.js";
import { judgesRequest } from "../../api/http/refused-calls.js";
import { getUser } from "../../api/operations/user.js";
import type { ApiConfig } from "../../config.js";
import { USELESS_ANSWER } from "../../domain/backoff.js";
import { durationWords } from "../../domain/duration.js";
import { UnreachableError } from "../../domain/failures.js";
import { NOBODY } from "../../domain/service/external-id.js";
import type { MadeCall } from "../../domain/service/made-call.js";
import { VERSION } from "../../version.js";

/** A pause that ends sooner is waited for. */
const WAITS_FOR_MS = 1_000;

/**
 * Asks the service for one user, and where that is refused for nobody.
 *
 * @returns why the answer does not prove that the service works and accepts the key; undefined where it does
 * @throws AuthError (exit 4), UnreachableError (exit 3).
 */
export async function pingService(api: ApiConfig, fpId = NOBODY): Promise<string | undefined> {
  const client = openServiceClient(api);
  try {
    const options = { accepts: judgesRequest, notAfter: Date.now() + WAITS_FOR_MS };
    await client.call(getUser, { path: { fp_id: fpId } }, options);
    return undefined;
  } catch (error) {
    // That may be of this user alone.
    if (error instanceof AuthError && fpId !== NOBODY) return pingService(api);
    if (!(error instanceof ApiError) || error instanceof AuthError) throw error;
    // It has just asked another process to pause.
    if (error instanceof NotSentError && error.waitMs !== undefined)
      return `it wants no calls for ${durationWords(error.waitMs)}`;
    if (error.status === undefined) {
      throw unreachable(api, error, "Nothing was started");
    }
    if (error instanceof SchemaError) return error.expectation;
    const isNoJson = error instanceof TransientError && error.reason === USELESS_ANSWER;
    return error.status !== 200 && !isNoJson
      ? `it answered with status ${error.status}`
      : `its answer with status ${error.status} is no JSON of the service; a login page of the network or another web server may be there`;
  } finally {
    await client.close();
  }
}

/** @param state what the command has done by then */
export function unreachable({ url }: ApiConfig, error: ApiError, state: string): UnreachableError {
  const reason = error instanceof TransientError ? error.reason : error.message;
  return new UnreachableError(
    `the service at ${url} could not be reached (${reason}). ${state}. Check NIGHTLEDGER_API_URL and the network`,
    { cause: error },
  );
}

/** A client for a command's own calls, which the caller closes. */
export function openServiceClient(api: ApiConfig, onCall?: (call: MadeCall) => void): ApiClient {
  const { url: baseUrl, key: apiKey } = api;
  return createApiClient({ ...api, baseUrl, apiKey, userAgent: `nightledger/${VERSION}`, onCall });
}
