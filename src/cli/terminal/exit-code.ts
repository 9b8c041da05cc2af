import { AuthError } from "../../api/http/errors.js";
import { InputError, UnreachableError } from "../../domain/failures.js";
import type { RunStatus } from "../../domain/run.js";
import { failedCallError, isFailedCall } from "../../temporal/failed-call.js";

/** What a command ends with (docs/reference/commands.md, "Output and exit codes"). */
export const EXIT = { completed: 0, failures: 1, usage: 2, unreachable: 3, credentials: 4 } as const;

/** An error that ended a command, as one of those in docs/run/errors.md: a failed call of Temporal is one of them. */
export function listedError(error: unknown): Error {
  if (isFailedCall(error)) return failedCallError(error);
  return error instanceof Error ? error : new Error(String(error));
}

export function exitCodeOf(error: unknown): number {
  if (error instanceof InputError) return EXIT.usage;
  if (error instanceof UnreachableError || isFailedCall(error)) return EXIT.unreachable;
  if (error instanceof AuthError) return EXIT.credentials;
  return EXIT.failures;
}

/** The exit code of a run that ended, or of a command that left it running. */
export function exitCodeOfRun({ status }: { readonly status: RunStatus }, unauthorized: boolean): number {
  if (unauthorized) return EXIT.credentials;
  return status === "completed" || status === "running" ? EXIT.completed : EXIT.failures;
}
