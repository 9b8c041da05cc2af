import { isDecision } from "../service/onboarding-status.js";
import { type OutcomeRow, OWN_STATUSES } from "./outcome.js";

export interface Verdict {
  readonly status: string;
  /** Null where nobody has said it. */
  readonly review: boolean | null;
}

export type Said = { readonly [F in keyof Verdict]: Verdict[F] | null };

type Told = Pick<OutcomeRow, "status" | "requires_manual_review">;

export function saidIn(answer: { readonly [F in keyof Told]?: Told[F] | null | undefined }): Said {
  return { status: answer.status ?? null, review: answer.requires_manual_review ?? null };
}

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
