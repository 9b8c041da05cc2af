import type { OnboardingMode } from "../../domain/onboarding/customer.js";

/** Flags that every command that runs a batch has. */
export interface BatchFlags {
  readonly syncTimeout?: number;
  readonly window: number;
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
}
