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
 * What a failed request means. `retract`: it changed nothing. `lost`: it may have taken effect, and nothing will tell.
 * `unusable`: its answer says nothing. `throw`: its error says it all.
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

export interface AnsweredCall<A> {
  readonly body: A;
  readonly at: number;
  /** Requests that may have reached the service until then, this one included. */
  readonly asked: number;
  /** `found`: an earlier attempt had kept it. `settled`: the effect of a lost request was found. */
  readonly repeated: "no" | "found" | "settled";
}

/** `_staging/calls/<name>/`: where the request of a durable call and its answer are staged. */
export function durableCallPrefix(name: string): string {
  return `_staging/calls/${name}/`;
}

/** `call/<scope>/<name>`; the name is made of the request's id, which may say something about people. */
export function callWorkflowId(scope: string, name: string): string {
  return `call/${scope}/${name}`;
}
