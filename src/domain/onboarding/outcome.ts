import type { CustomerKind } from "./customer.js";

/** How a row stands where it is not the service's own status (docs/service.md, "Onboarding statuses"). */
export const OWN_STATUSES = [
  "invalid",
  "failed",
  "needs_customer",
  "expired_no_response",
  "cancelled",
] as const;
export type OwnStatus = (typeof OWN_STATUSES)[number];

/** What brought the status of an outcome. */
export const SETTLED_BY = ["sync", "webhook", "poll", "validation"] as const;
export type SettledBy = (typeof SETTLED_BY)[number];

/** Which outcome: a version of an attempt at a line of a batch. */
export interface OutcomeName {
  readonly line: number;
  /** From 1; one more with every `runs retry`. */
  readonly attempt: number;
  /** From 1; one more with every later change, such as a manual review's end. */
  readonly version: number;
}

/** Something that happened to a row, for `onboarding_events`. */
export interface OutcomeEvent {
  /** Such as `recorded`, `adopted`, `webhook`. */
  readonly event: string;
  readonly status: string | null;
  /** Of a webhook. */
  readonly messageId: string | null;
  /** ISO instant. */
  readonly at: string;
  /** Words without personal data. */
  readonly detail: string | null;
}

/** How a row stands: one row of `onboardings`. Personal data, so it is sealed until it is written. */
export interface OutcomeRecord extends OutcomeName {
  /** Place in the file, from 0, wrong rows counted. */
  readonly row: number;
  /** Null for a wrong row of no kind. */
  readonly kind: CustomerKind | null;
  readonly fpId: string | null;
  readonly fpBid: string | null;
  readonly externalId: string | null;
  readonly onboardingId: string | null;
  /** The version pinned, else the one that an event named. */
  readonly playbookVersion: number | null;
  /** The service's, whatever it was, or one of {@link OWN_STATUSES}. */
  readonly status: string;
  readonly requiresManualReview: boolean | null;
  /** JSON text. */
  readonly output: string | null;
  /** A class of docs/errors.md. */
  readonly errorClass: string | null;
  /** Values of the row's own data are taken out of it before it is written. */
  readonly errorMessage: string | null;
  /** ISO instant. */
  readonly startedAt: string | null;
  /** ISO instant. */
  readonly settledAt: string | null;
  readonly settledBy: SettledBy | null;
  /** What somebody has to do now. */
  readonly nextAction: string | null;
  /** Null for a wrong row. */
  readonly rowKey: string | null;
  /** What happened since the version before; without any, `recorded` is written. */
  readonly events?: readonly OutcomeEvent[];
}

/** A row posted before, in whatever batch: its latest outcome, without what is personal. */
export interface EarlierOutcome extends OutcomeName {
  readonly batchId: string;
  readonly status: string;
  readonly onboardingId: string | null;
  readonly requiresManualReview: boolean | null;
}

/**
 * Whether an earlier outcome stands for the row that comes again. All do, failures too, which run again only
 * when `runs retry` asks for it; but not a row that was cancelled before anything was posted.
 */
export function standsFor({
  status,
  onboardingId,
}: Pick<EarlierOutcome, "status" | "onboardingId">): boolean {
  return status !== "cancelled" || onboardingId !== null;
}

const SHORTEST_TAKEN_OUT = 3;
const TAKEN_OUT = "[value]";

/**
 * A text of the service without the values that it may quote: it stands in a table in the clear. Texts shorter
 * than three characters stay, or no word would be left.
 */
export function withoutValues(text: string, values: readonly unknown[]): string {
  const texts = values.flatMap(textsOf).filter((value) => value.length >= SHORTEST_TAKEN_OUT);
  return texts
    .sort((a, b) => b.length - a.length)
    .reduce((left, value) => left.replaceAll(value, TAKEN_OUT), text);
}

function textsOf(value: unknown): string[] {
  if (typeof value === "string") return [value, value.trim()];
  if (typeof value === "number") return [String(value)];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(textsOf);
}
