import { isDecision } from "../../service/onboarding-status.js";
import type { CustomerEvent } from "../messages.js";
import { type OnboardingTiming, pollWaitMs } from "../timing.js";
import { type CustomerCourse, needsCustomer } from "./customer-state.js";

/** Hints kept until the next look, for `onboarding_events`; all of them are in `webhook_events`. */
const MOST_HINTS = 20;

/** What is known of the looks at an onboarding. */
export interface LooksSoFar {
  /** Since the status changed last. */
  readonly looks: number;
  /** Of these: brought forward by hints. */
  readonly hinted: number;
  /** Epoch milliseconds of the last one, or of the beginning. */
  readonly lookedAt: number;
  /** Events since then that bring the next look forward. */
  readonly hints: readonly CustomerEvent[];
}

/** No look yet, and none asked for. */
export function beginLooks(now: number): LooksSoFar {
  return { looks: 0, hinted: 0, lookedAt: now, hints: [] };
}

/** When a posted onboarding is looked at next, without news of it. Pure. */
export class LookPlan {
  #sofar: LooksSoFar;

  constructor(
    private readonly timing: OnboardingTiming,
    sofar: LooksSoFar,
  ) {
    this.#sofar = sofar;
  }

  get sofar(): LooksSoFar {
    return this.#sofar;
  }

  /** Something came that may be news: the first brings a look at once, and each further look waits twice as long. */
  hint(event: CustomerEvent): void {
    this.#sofar = { ...this.#sofar, hints: [...this.#sofar.hints, event].slice(-MOST_HINTS) };
  }

  /** A look begins; gives the hints that it takes along. */
  begin(now: number): readonly CustomerEvent[] {
    const { looks, hinted, hints } = this.#sofar;
    this.#sofar = {
      looks: looks + 1,
      hinted: hints.length > 0 ? hinted + 1 : hinted,
      lookedAt: now,
      hints: [],
    };
    return hints;
  }

  /** The status is another one: the waits begin anew. */
  restart(): void {
    this.#sofar = { ...this.#sofar, looks: 0, hinted: 0 };
  }

  /** Epoch milliseconds of the next look. */
  next(course: CustomerCourse): number {
    const { timing } = this;
    const { looks, hinted, lookedAt, hints } = this.#sofar;
    const poll = lookedAt + pollWaitMs(timing, course.stage, looks);
    const hint = hinted === 0 ? lookedAt : lookedAt + pollWaitMs(timing, "machine", hinted - 1);
    const next = hints.length === 0 ? poll : Math.min(poll, hint);
    const expires = course.linkExpiresAt;
    if (expires === null || !needsCustomer(course)) return next;
    // Before the link's end, for a fresh one; and at its end.
    const early = expires - timing.linkMargin;
    return Math.min(next, lookedAt < early ? early : Math.max(expires, lookedAt));
  }
}

/**
 * What a webhook is worth to a course. `news`: the onboarding is looked at. `hint`: it says nothing of the onboarding
 * itself, such as a changed vault; a look comes earlier, but many of them are not many looks. `nothing`: it changes
 * nothing.
 */
export type EventWeight = "news" | "hint" | "nothing";

/** Weighs a webhook against what is known. */
export function weightOf(course: CustomerCourse, event: CustomerEvent): EventWeight {
  if (course.stage === "settled") return "nothing";
  if (event.onboardingId !== null && event.onboardingId !== course.onboardingId) return "nothing";
  switch (event.kind) {
    case "service.onboarding.incomplete":
      return isDecision(course.status) || course.status === "incomplete" ? "nothing" : "news";
    case "service.onboarding.completed":
    case "service.user.manual_review":
      return isDecision(course.status) && isSame(course, event) ? "nothing" : "news";
    case "service.user.info_requested":
      return course.infoRequested ? "hint" : "news";
    case "service.user.bank_link_updated":
      return "nothing";
    default:
      return "hint";
  }
}

function isSame(course: CustomerCourse, { status, requiresManualReview }: CustomerEvent): boolean {
  return status === course.status && requiresManualReview === course.requiresManualReview;
}
