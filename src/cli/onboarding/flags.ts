import { resolve } from "node:path";
import { InputError } from "../../domain/failures.js";
import type { OnboardingMode } from "../../domain/onboarding/customer.js";
import { DEFAULT_TIMING } from "../../domain/onboarding/timing.js";
import type { OnboardingOptions } from "../../intake/onboarding/start.js";
import type { Terminal } from "../terminal/terminal.js";

export interface BatchFlags {
  readonly syncTimeout?: number;
  readonly window: number;
  /** Milliseconds. */
  readonly deadline: number;
  readonly circuit: number;
  readonly continuations?: string;
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
  const { window, circuit, deadline, syncTimeout, plainOutput, continuations } = flags;
  return {
    ...more,
    window,
    circuit,
    plainOutput: plainOutput === true,
    linksFile: continuations === undefined ? null : resolve(terminal.cwd, continuations),
    syncTimeoutSecs: mode === "sync" ? (syncTimeout ?? 30) : null,
    timing: { ...DEFAULT_TIMING, deadline },
  };
}

export function checkOnboardFlags(flags: OnboardFlags): void {
  if (flags.mode === "async" && flags.syncTimeout !== undefined) {
    throw new InputError("--sync-timeout works only in --mode sync. Nothing was started.");
  }
}
