import { resolve } from "node:path";
import { InputError } from "../../domain/failures.js";
import type { OnboardingMode } from "../../domain/onboarding/customer.js";
import { DEFAULT_TIMING } from "../../domain/onboarding/timing.js";
import type { OnboardingOptions } from "../../intake/onboarding/start.js";
import type { ContinuationSink } from "../../lake/onboarding/continuation-file.js";
import type { Terminal } from "../terminal/terminal.js";

export interface BatchFlags {
  readonly syncTimeout?: number;
  readonly window: number;
  /** Milliseconds for which customers and reviewers are waited for. */
  readonly deadline: number;
  readonly circuit: number;
  readonly continuations?: string;
  readonly continuationCommand?: string;
  readonly plainOutput?: boolean;
  readonly until?: "settled";
  readonly detach?: boolean;
  readonly json?: boolean;
}

export interface OnboardFlags extends BatchFlags {
  readonly customers: string;
  readonly playbook: string;
  readonly mode: OnboardingMode;
  readonly validateOnly?: boolean;
  readonly continueInvalid?: boolean;
  readonly limit?: number;
  readonly restart?: boolean;
}

export function optionsOf(
  terminal: Pick<Terminal, "cwd">,
  flags: BatchFlags,
  mode: OnboardingMode,
  more: Pick<OnboardingOptions, "limit" | "retry">,
): OnboardingOptions {
  const { window, circuit, deadline, syncTimeout, plainOutput } = flags;
  return {
    ...more,
    window,
    circuit,
    plainOutput: plainOutput === true,
    sink: sinkOf(terminal, flags),
    syncTimeoutSecs: mode === "sync" ? (syncTimeout ?? 30) : null,
    timing: { ...DEFAULT_TIMING, deadline },
  };
}

function sinkOf(terminal: Pick<Terminal, "cwd">, flags: BatchFlags): ContinuationSink | null {
  const { continuations, continuationCommand } = flags;
  if (continuations !== undefined) return { kind: "file", path: resolve(terminal.cwd, continuations) };
  return continuationCommand === undefined ? null : { kind: "command", command: continuationCommand };
}

export function checkOnboardFlags(flags: OnboardFlags): void {
  checkSink(flags);
  if (flags.mode === "async" && flags.syncTimeout !== undefined) {
    throw new InputError("--sync-timeout works only in --mode sync. Nothing was started.");
  }
}

export function checkSink({ continuations, continuationCommand }: BatchFlags): void {
  if (continuations === undefined || continuationCommand === undefined) return;
  throw new InputError(
    "--continuations and --continuation-command exclude each other: links go to one place. Nothing was started.",
  );
}
