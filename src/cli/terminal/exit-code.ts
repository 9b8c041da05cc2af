import { AuthError } from "../../api/http/errors.js";
import { InputError, type Unauthorized, UnreachableError } from "../../domain/failures.js";
import type { Run } from "../../domain/run.js";
import { asFull } from "../../lake/store/local/local-store-errors.js";
import { BucketError } from "../../lake/store/s3/s3-errors.js";

/** docs/reference/commands.md, "Output and exit codes". */
export const EXIT = { completed: 0, failures: 1, usage: 2, unreachable: 3, credentials: 4 } as const;

/** The error of docs/run/errors.md for one that ended a command. */
export function listedError(error: unknown): Error {
  if (isFailedCall(error)) return failedCallError(error);
  return asFull(error) ?? (error instanceof Error ? error : new Error(String(error)));
}

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

export function exitCodeOfRun({ status }: Pick<Run, "status">, unauthorized: Unauthorized): number {
  if (unauthorized) return EXIT.credentials;
  return status === "completed" || status === "running" ? EXIT.completed : EXIT.failures;
}

/** A failed Temporal call, by its shape: not every command loads the SDK. */
function isFailedCall(error: unknown): error is Error {
  return error instanceof Error && (error.name === "ServiceError" || statusOf(error) !== undefined);
}

/** Without details, which may quote headers. */
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
