import { AuthError } from "../../api/http/errors.js";
import { InputError, type Unauthorized, UnreachableError } from "../../domain/failures.js";
import type { RunStatus } from "../../domain/run.js";
import { asFull } from "../../lake/store/local/local-store-errors.js";
import { BucketError } from "../../lake/store/s3/s3-errors.js";

/** The exit codes of commands (docs/reference/commands.md, "Output and exit codes"). */
export const EXIT = { completed: 0, failures: 1, usage: 2, unreachable: 3, credentials: 4 } as const;

/** Turns an error that ended a command, such as a failed call of Temporal, into one of those in docs/run/errors.md. */
export function listedError(error: unknown): Error {
  if (isFailedCall(error)) return failedCallError(error);
  return asFull(error) ?? (error instanceof Error ? error : new Error(String(error)));
}

/** An error as `--json` says it, and in words. */
export function saidError(error: unknown) {
  const { name, message } = listedError(error);
  return {
    json: { error: { class: name, message } },
    words: `${name === "Error" ? "Failed" : name}: ${message}`,
  };
}

export function exitCodeOf(error: unknown): number {
  if (error instanceof InputError) return EXIT.usage;
  if (error instanceof UnreachableError || error instanceof BucketError || isFailedCall(error)) {
    return EXIT.unreachable;
  }
  if (error instanceof AuthError) return EXIT.credentials;
  return EXIT.failures;
}

/** Chooses the exit code for a run that ended, or that its command left running. */
export function exitCodeOfRun(
  { status }: { readonly status: RunStatus },
  unauthorized: Unauthorized,
): number {
  if (unauthorized) return EXIT.credentials;
  return status === "completed" || status === "running" ? EXIT.completed : EXIT.failures;
}

/**
 * Whether an error is a failed Temporal call. It is recognized by its shape, because commands that never load the SDK
 * ask too.
 */
function isFailedCall(error: unknown): error is Error {
  return error instanceof Error && (error.name === "ServiceError" || statusOf(error) !== undefined);
}

/** The error with which a command ends after such a call; it leaves out what may quote headers. */
function failedCallError(error: Error): UnreachableError {
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
