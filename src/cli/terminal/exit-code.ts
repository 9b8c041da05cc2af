import { AuthError } from "../../api/http/errors.js";
import { InputError, UnreachableError } from "../../domain/failures.js";
import type { RunStatus } from "../../domain/run.js";
import { asFull } from "../../lake/store/local/local-store-errors.js";
import { BucketError } from "../../lake/store/s3/s3-errors.js";
import { failedCallError, isFailedCall } from "../../temporal/failed-call.js";

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
export function exitCodeOfRun({ status }: { readonly status: RunStatus }, unauthorized: boolean): number {
  if (unauthorized) return EXIT.credentials;
  return status === "completed" || status === "running" ? EXIT.completed : EXIT.failures;
}
