import { type ApiClient, createApiClient } from "../../api/http/client.js";
import type { ApiConfig } from "../../config.js";
import { VERSION } from "../../version.js";

/** A client of the configured service for a command's own calls; whoever opens it closes it. */
export function openServiceClient(api: ApiConfig): ApiClient {
  const { url: baseUrl, key: apiKey } = api;
  return createApiClient({ ...api, baseUrl, apiKey, userAgent: `nightledger/${VERSION}` });
}
