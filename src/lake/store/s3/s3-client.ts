import type { S3 } from "@aws-sdk/client-s3";

/** Of a request by the SDK, and of one whose body was cut. */
export const ATTEMPTS = 5;
const CONNECTION_TIMEOUT_MS = 5_000;
/** Without a byte of an answer. */
const SILENT_MS = 30_000;
const SOCKETS = 64;

/** A client by the `AWS_…` variables; an empty one is not set. Only a lake in a bucket loads the SDK. */
export async function openS3(
  endpoint = process.env.AWS_ENDPOINT_URL_S3 || process.env.AWS_ENDPOINT_URL || undefined,
): Promise<S3> {
  // A user can't change what it warns of.
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= "true";
  const sdk = await import("@aws-sdk/client-s3");
  const { AWS_REGION, AWS_DEFAULT_REGION, AWS_PROFILE, AWS_REQUEST_CHECKSUM_CALCULATION } = process.env;
  const hasOwnEndpoint = endpoint !== undefined;
  const region =
    AWS_REGION || AWS_DEFAULT_REGION || (hasOwnEndpoint && !AWS_PROFILE ? "us-east-1" : undefined);
  return new sdk.S3({
    maxAttempts: ATTEMPTS,
    // One's own host seldom has a name for each bucket.
    forcePathStyle: hasOwnEndpoint,
    ...(hasOwnEndpoint && { endpoint }),
    // Some answer 501 to an optional checksum.
    ...(hasOwnEndpoint &&
      !AWS_REQUEST_CHECKSUM_CALCULATION && { requestChecksumCalculation: "WHEN_REQUIRED" as const }),
    ...(region !== undefined && { region }),
    requestHandler: {
      connectionTimeout: CONNECTION_TIMEOUT_MS,
      socketTimeout: SILENT_MS,
      httpAgent: { maxSockets: SOCKETS },
      httpsAgent: { maxSockets: SOCKETS },
    },
  });
}
