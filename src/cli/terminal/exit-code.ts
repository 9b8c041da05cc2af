import { AuthError } from "../../api/http/errors.js";
import { InputError, UnreachableError } from "../../domain/failures.js";
import type { RunStatus } from "../../domain/run.js";

/** What a command ends with (docs/commands.md, "Output and exit codes"). */
export const EXIT = { completed: 0, failures: 1, usage: 2, unreachable: 3, credentials: 4 } as const;

/** The exit code of an error that ended a command. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof InputError) return EXIT.usage;
  if (error instanceof UnreachableError) return EXIT.unreachable;
  if (error instanceof AuthError) return EXIT.credentials;
  return EXIT.failures;
}

/** The exit code of a run that ended, or of a command that left it running. */
export function exitCodeOfRun({ status }: { readonly status: RunStatus }, unauthorized: boolean): number {
  if (unauthorized) return EXIT.credentials;
  return status === "completed" || status === "running" ? EXIT.completed : EXIT.failures;
}
