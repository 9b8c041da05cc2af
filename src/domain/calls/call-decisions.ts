type LostAnswerRule = "again" | "lookup" | "unknown";

/** What to do before a request, after what earlier attempts have sent without an answer. */
export function decideBeforeSending(
  hasEarlier: boolean,
  rule: LostAnswerRule | undefined,
): "send" | "look up" | "give up" {
  if (!hasEarlier || rule === "again") return "send";
  return rule === "lookup" ? "look up" : "give up";
}

export interface FailedRequest {
  readonly isDeclared: boolean;
  readonly sent: boolean;
  /** Whether the service refused it, for good. */
  readonly isRefused: boolean;
  readonly error: "no_json" | "schema" | "other";
}

/**
 * What a failed request means. `retract`: it certainly changed nothing. `lost`: it may have taken effect and nothing
 * will tell. `unusable`: its answer says nothing of what the service did. `throw`: its error says it all.
 */
export function decideAfterFailure(
  { isDeclared, sent, isRefused, error }: FailedRequest,
  rule: LostAnswerRule | undefined,
): "retract" | "lost" | "unusable" | "throw" {
  if (isDeclared && (!sent || isRefused)) return "retract";
  const isHopeless = rule === undefined || rule === "unknown";
  if (isDeclared && isHopeless && error !== "schema") return "lost";
  return error === "no_json" ? "unusable" : "throw";
}

/** Unusable answers to one call, or about it, after which it is given up. */
const MOST_UNUSABLE = 5;
const AFTER_UNUSABLE_MS = 3_000;

/** Milliseconds to wait after so many unusable answers; undefined where the call is given up. */
export function waitAfterUnusable(unusable: number): number | undefined {
  return unusable >= MOST_UNUSABLE ? undefined : AFTER_UNUSABLE_MS * 3 ** (unusable - 1);
}
