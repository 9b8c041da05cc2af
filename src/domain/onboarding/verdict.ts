import { isDecision } from "../service/onboarding-status.js";
import { type OutcomeRow, OWN_STATUSES } from "./outcome.js";

/** The status of a row, and whether a reviewer has to decide it. */
export interface Verdict {
  readonly status: string;
  /** Null where nobody has said it. */
  readonly review: boolean | null;
}

/** What is said of an onboarding; null for what is left out. */
export type Said = { readonly [F in keyof Verdict]: Verdict[F] | null };

type Told = Pick<OutcomeRow, "status" | "requires_manual_review">;

/** What an answer of the service, or a message, says. */
export function saidIn(answer: { readonly [F in keyof Told]?: Told[F] | null | undefined }): Said {
  return { status: answer.status ?? null, review: answer.requires_manual_review ?? null };
}

/** What an outcome says. */
export function verdictOf({ status, requires_manual_review }: Told): Verdict {
  return { status, review: requires_manual_review };
}

export function saysTheSame(one: Said, other: Said): boolean {
  return one.status === other.status && one.review === other.review;
}

/** Whether an outcome may still change without another post. */
export function isOpen({ status, review }: Verdict): boolean {
  if (status === "needs_customer") return true;
  if (isDecision(status)) return review === true;
  return !(OWN_STATUSES as readonly string[]).includes(status);
}
