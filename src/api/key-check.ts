import { NOBODY } from "../domain/service/external-id.js";
import type { CallOptions } from "./http/call-options.js";
import type { ApiClient } from "./http/client.js";
import { AuthError } from "./http/errors.js";
import { getUser } from "./operations/user.js";

/** Whether a status says what the service thinks of the request, if it is the service that answers: then in JSON. */
export function isRefusal(status: number): boolean {
  return status >= 400 && status < 500 && ![401, 403, 408, 429].includes(status);
}

/**
 * Whether the service accepts the key where a call was answered 401 or 403: asks it for one user, whom nobody is.
 *
 * @throws ApiError where it does not say.
 */
export async function isKeyGood(api: ApiClient, options?: CallOptions): Promise<boolean> {
  try {
    await api.call(getUser, { path: { fp_id: NOBODY } }, { ...options, accepts: isRefusal });
    return true;
  } catch (error) {
    if (error instanceof AuthError) return false;
    throw error;
  }
}
