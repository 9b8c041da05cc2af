import type { OutcomeRow } from "../outcome.js";
import { isOpen, verdictOf } from "../verdict.js";

export type EarlierOutcome = Pick<OutcomeRow, "run_id" | "attempt" | "version" | "onboarding_id"> &
  Parameters<typeof verdictOf>[0];

const RETRIED: ReadonlySet<string> = new Set(["failed", "error", "none", "expired_no_response"]);

/** Whether `runs retry` runs again what ended so; other kinds than onboardings only have `failed`. */
export function isRetried(status: string): boolean {
  return RETRIED.has(status);
}

interface Planning {
  /** It keeps what it has written itself; null where no run plans. */
  readonly runId: string | null;
  readonly retry: boolean;
  readonly cancel: boolean;
}

type RowPlan<O extends EarlierOutcome> =
  /** Nothing was posted under its key: it runs, or the batch was cancelled before. */
  | { readonly kind: "run" | "cancel"; readonly attempt: number }
  | { readonly kind: "retry"; readonly attempt: number; readonly before: string | null }
  /** It has an outcome, or gets another batch's; `follows`: that may change. */
  | {
      readonly kind: "keep" | "reuse";
      readonly attempt: number;
      readonly version: number;
      readonly outcome: O;
      readonly follows: boolean;
    };

/** Decides from a row's latest outcomes, in its `own` batch and under its key in any `other`. */
export function planRow<O extends EarlierOutcome>(
  { own, other }: { readonly own?: O | undefined; readonly other?: O | undefined },
  { runId, retry, cancel }: Planning,
): RowPlan<O> {
  const follows = (outcome: O) => !cancel && outcome.onboarding_id !== null && isOpen(verdictOf(outcome));
  const isOfRun = own?.run_id === runId;
  if (own !== undefined && (isOfRun || hasOutcome(own))) {
    const { attempt, version, status, onboarding_id: before } = own;
    if (retry && !cancel && !isOfRun && isRetried(status))
      return { kind: "retry", attempt: attempt + 1, before };
    return { kind: "keep", attempt, version, outcome: own, follows: follows(own) };
  }
  const attempt = (own?.attempt ?? 0) + 1;
  if (other !== undefined && hasOutcome(other)) {
    return { kind: "reuse", attempt, version: 1, outcome: other, follows: follows(other) };
  }
  return { kind: cancel ? "cancel" : "run", attempt };
}

/** Any, failures too, but not a cancellation before its post. */
function hasOutcome({ status, onboarding_id }: EarlierOutcome): boolean {
  return status !== "cancelled" || onboarding_id !== null;
}
