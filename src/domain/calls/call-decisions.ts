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
  /** `unfit`: the answer says that it was carried out, but not as agreed. */
  readonly error: "useless" | "unfit" | "other";
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
  if (isDeclared && isHopeless && error !== "unfit") return "lost";
  return error === "useless" ? "unusable" : "throw";
}
