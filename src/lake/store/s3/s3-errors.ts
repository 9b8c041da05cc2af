import type { S3ServiceException } from "@aws-sdk/client-s3";
import { FAILURE_TYPES, InputError } from "../../../domain/failures.js";
import { unpublished } from "../local/local-store-errors.js";

/** The bucket can't be used now; callers treat it as transient. */
export class BucketError extends Error {
  override readonly name = FAILURE_TYPES.transient;

  /**
   * @param address of the object or lake
   * @param why what failed, and what to do
   * @param passes whether it ends by itself
   */
  constructor(
    readonly address: string,
    readonly why: string,
    readonly passes = true,
  ) {
    super(`${address} ${why}`);
  }
}

/** A person ends these by new credentials; runs wait. */
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

/** A missing bucket is another matter. */
export function isNoObject(error: unknown): boolean {
  return statusOf(error) === 404 && nameOf(error) !== "NoSuchBucket";
}

/** Without the SDK's error, which holds the whole request with its signature. */
export function unavailable(error: unknown, address: string): Error {
  if (error instanceof BucketError || error instanceof InputError) return error;
  // A file of this machine.
  if ((error as NodeJS.ErrnoException).path !== undefined) return unpublished(error, address);
  // Bytes change in transit now and then, but not at each attempt.
  if (/checksum mismatch/i.test((error as Error).message)) {
    return new InputError(
      `${address} is damaged: its bytes are not those of its checksum. Restore it from a backup of the lake.`,
    );
  }
  if (statusOf(error) === 501) {
    return new InputError(
      `${address} can't be used: the bucket's service does not know this request (${foundIn(error)}). ` +
        "Trying again does not help: use another store (docs/run/operate.md#a-lake-in-a-bucket).",
    );
  }
  const refused = whyRefused(error);
  return refused === undefined
    ? new BucketError(address, whyUnavailable(error))
    : new BucketError(address, refused, false);
}

function whyRefused(error: unknown): string | undefined {
  const [name, status] = [nameOf(error), statusOf(error)];
  if (CREDENTIALS.has(name) || status === 401 || status === 403) {
    return (
      `can't be used: the credentials are missing or refused (${foundIn(error)}). Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, ` +
      "AWS_PROFILE, or a role that may read, write, list and delete there."
    );
  }
  if (name === "NoSuchBucket") return "can't be used: there is no such bucket. Make it, or name another one.";
  if (/region is missing/i.test((error as Error).message))
    return "can't be used: its region is not known. Set AWS_REGION.";
  return undefined;
}

function whyUnavailable(error: unknown): string {
  const found = foundIn(error);
  if (statusOf(error) === 412) {
    return "can't be made: the bucket's service says that it is there, and has no such object. Repair the service's storage.";
  }
  if (statusOf(error) !== undefined)
    return `can't be used now: the bucket's service answers ${found}. Most such answers pass in some minutes.`;
  return `can't be reached (${found}). Check the network, AWS_ENDPOINT_URL_S3 and AWS_REGION.`;
}

function foundIn(error: unknown): string {
  const [name, status] = [nameOf(error), statusOf(error)];
  const said = [name, status === undefined ? "" : `HTTP ${status}`].filter(
    (part) => !["", "Unknown", "Error"].includes(part),
  );
  return said.length === 0 ? String((error as Error).message) : said.join(", ");
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : "";
}
