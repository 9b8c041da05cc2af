import { UnreachableError } from "../domain/failures.js";

/**
 * Whether an error is a failed Temporal call. It is recognized by its shape, because commands that never load the SDK
 * ask too.
 */
export function isFailedCall(error: unknown): error is Error {
  return error instanceof Error && (error.name === "ServiceError" || statusOf(error) !== undefined);
}

/** The error with which a command ends after such a call; it leaves out what may quote headers. */
export function failedCallError(error: Error): UnreachableError {
  const isBare = statusOf(error) !== undefined;
  const status = isBare ? statusOf(error) : statusOf(error.cause);
  return new UnreachableError(
    `Temporal did not answer properly: ${isBare ? "a call failed" : error.message} (gRPC status ` +
      `${status ?? "unknown"}). A run that was started continues; the same command joins it. Check that ` +
      "the Temporal server runs and that TEMPORAL_ADDRESS leads to it.",
    { cause: error },
  );
}

function statusOf(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, details, metadata } = error as { code?: unknown; details?: unknown; metadata?: unknown };
  return typeof code === "number" && details !== undefined && metadata !== undefined ? code : undefined;
}
