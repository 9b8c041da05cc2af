import { type ApiClient, createApiClient } from "../../api/http/client.js";
import { ApiError, AuthError, NotSentError, TransientError } from "../../api/http/errors.js";
import { getUser } from "../../api/operations/user.js";
import type { ApiConfig } from "../../config.js";
import { UnreachableError } from "../../domain/failures.js";
import { VERSION } from "../../version.js";

/** An id that no user has. */
export const NOBODY = "nightledger-check";

/**
 * Asks the service for one user: any answer but 401 and 403 counts as reached.
 *
 * @throws AuthError (exit 4), UnreachableError (exit 3).
 */
export async function pingService(api: ApiConfig, fpId = NOBODY): Promise<void> {
  const client = openServiceClient(api);
  try {
    // The service has just asked another process to pause, so it is reachable.
    if (client.pausedUntil !== undefined) return;
    await client.call(getUser, { path: { fp_id: fpId } });
  } catch (error) {
    if (!(error instanceof ApiError) || error instanceof AuthError) throw error;
    if (error.status === undefined || error instanceof NotSentError) {
      throw unreachable(api, error, "Nothing was started");
    }
  } finally {
    await client.close();
  }
}

/** Makes the error of a command whose service did not answer. @param state what the command has done by then */
export function unreachable({ url }: ApiConfig, error: ApiError, state: string): UnreachableError {
  const reason = error instanceof TransientError ? error.reason : error.message;
  return new UnreachableError(
    `the service at ${url} could not be reached (${reason}). ${state}. Check NIGHTLEDGER_API_URL and the network`,
    { cause: error },
  );
}

/** Opens a client of the configured service for a command's own calls; the caller closes it. */
export function openServiceClient(api: ApiConfig): ApiClient {
  const { url: baseUrl, key: apiKey } = api;
  return createApiClient({ ...api, baseUrl, apiKey, userAgent: `nightledger/${VERSION}` });
}
