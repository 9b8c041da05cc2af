import type { S3ServiceException } from "@aws-sdk/client-s3";
import { FAILURE_TYPES, InputError } from "../../../domain/failures.js";

/** Thrown when the bucket can't be read or written now; the same step succeeds later, so callers treat it as transient. */
export class BucketError extends Error {
  override readonly name = FAILURE_TYPES.transient;
}

/** Refusals that a person ends, by renewing the credentials: what runs waits for that. */
const CREDENTIALS = new Set([
  "AccessDenied",
  "CredentialsProviderError",
  "ExpiredToken",
  "ExpiredTokenException",
  "InvalidAccessKeyId",
  "InvalidClientTokenId",
  "SignatureDoesNotMatch",
  "TokenProviderError",
  "UnrecognizedClientException",
]);

export function statusOf(error: unknown): number | undefined {
  return (error as Partial<S3ServiceException>).$metadata?.httpStatusCode;
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : "";
}

/** Whether there is no such object; a bucket that is missing is another matter. */
export function isNoObject(error: unknown): boolean {
  return statusOf(error) === 404 && nameOf(error) !== "NoSuchBucket";
}

/** Whether the credentials were refused, or there are none. */
function isCredentialsError(error: unknown): boolean {
  return CREDENTIALS.has(nameOf(error)) || statusOf(error) === 401 || statusOf(error) === 403;
}

/** Why nothing can be done in a bucket, and what to do; behind its address. */
export function whyUnusable(error: unknown): string {
  const cause = error instanceof BucketError ? error.cause : error;
  const status = statusOf(cause);
  const said = `${nameOf(cause)}${status === undefined ? "" : `, HTTP ${status}`}`;
  if (isCredentialsError(cause)) {
    return (
      `can't be used: the credentials are missing or refused (${said}). Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, ` +
      "AWS_PROFILE, or a role that may read, write, list and delete there."
    );
  }
  if (nameOf(cause) === "NoSuchBucket")
    return "can't be used: there is no such bucket. Make it, or name another one.";
  if (/region is missing/i.test(cause instanceof Error ? cause.message : ""))
    return "can't be used: its region is not known. Set AWS_REGION.";
  return `can't be reached (${said}). Check AWS_ENDPOINT_URL_S3 and AWS_REGION.`;
}

/** Words an error of a request about an object for the person who runs the job. */
export function unavailable(error: unknown, at: string): Error {
  if (error instanceof BucketError || error instanceof InputError) return error;
  return new BucketError(`${at} ${whyUnusable(error)} Nothing is lost: the run tries it again by itself.`, {
    cause: error,
  });
}
