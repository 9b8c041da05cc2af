import { counted } from "./words/counted.js";
import type { Labelled } from "./words/texts.js";

/** Names of failures in histories, tables and `--json`: each says what the caller does about it. */
export const FAILURE_TYPES = {
  /** 401, 403: stop the run. */
  auth: "AuthError",
  /** 429: try again, but not earlier. */
  rateLimited: "RateLimitedError",
  /** Network, time-out, 408, 5xx, a torn body: try again. */
  transient: "TransientError",
  /** 404, 410: the thing is gone. */
  notFound: "NotFoundError",
  /** Another 4xx: it will be refused again. */
  rejected: "RejectedError",
  /** The answer breaks the contract. */
  schema: "SchemaError",
  /** The answer is about something else: it is never used, whatever a retry brings. */
  anotherSubject: "AnotherSubjectError",
  /** A write that may have taken effect: never sent again by itself. */
  lostAnswer: "LostAnswerError",
  /** What a run staged is gone or torn: the next run reads everything again. */
  stagingLost: "StagingLostError",
  /** Wrong usage, configuration or input (exit 2). */
  input: "InputError",
  /** The service, Temporal or the lake's bucket can't be reached (exit 3). */
  unreachable: "UnreachableError",
} as const;

/** The reason of a request that waits because nothing tells yet what became of an earlier one. */
export const UNRESOLVED_REQUEST = "unresolved";

/** Whether the service refused the key; a text names the operation that a good key may not call. */
export type Unauthorized = boolean | string;

/** Of two the one that says more. */
export function moreUnauthorized(one: Unauthorized, other: Unauthorized): Unauthorized {
  return typeof one === "string" ? one : other || one;
}

export function mayNotCall(operation: string): string {
  return `the key may not call ${operation}: the service refused it for three in a row, and accepts the key. Give the key that permission`;
}

/** How the words of a full disk or quota begin. */
export const NO_SPACE = "No space left to write";
export const ANOTHER_SUBJECT = "another_subject";

/** What an answer is about, and what was asked for; ids are masked. */
export interface SubjectMismatch {
  /** `links[].fp_id` */
  readonly field: string;
  readonly answered: string;
  readonly asked: string;
}

/** `another_subject links[].fp_id: •••91bc for •••3f2a` */
export function anotherSubjectReason({ field, answered, asked }: SubjectMismatch): string {
  return `${ANOTHER_SUBJECT} ${field}: ${answered} for ${asked}`;
}

/** Says in a summary how many of its failures are such. */
export function anotherSubjects(failures: readonly { readonly reason: string }[]): Labelled {
  const count = failures.filter(({ reason }) => reason.includes(ANOTHER_SUBJECT)).length;
  const what = counted(count, "answer was", "answers were");
  const words = `${what} about others: find out what mixes them up, a proxy or a cache`;
  return ["mixed up", count === 0 ? null : words];
}

/** Thrown when the user's input can't be used (exit 2): names it, and what is accepted. */
export class InputError extends Error {
  override readonly name = FAILURE_TYPES.input;
}

/** Thrown when sealed bytes do not open with the key that sealed them: they were changed, cut or moved. */
export class DamagedError extends InputError {}

/** Thrown when what the user asks for by name is not there. */
export class NotThereError extends InputError {}

/** Thrown when a request breaks the rules of its operation: nothing was sent. */
export class UnsendableError extends InputError {
  /** @param rule with the name of the field; never a value. */
  constructor(
    readonly rule: string,
    message: string,
  ) {
    super(message);
  }
}

/** Thrown when something failed that passes: nothing of it was done. */
export class PassingError extends Error {
  override readonly name = FAILURE_TYPES.transient;
}

/** Thrown when the service, Temporal or the lake's bucket can't be reached (exit 3): says what to check. */
export class UnreachableError extends Error {
  override readonly name = FAILURE_TYPES.unreachable;
}

/** Thrown when what a run staged is gone or torn. What was committed stays. */
export class StagingLostError extends Error {
  override readonly name = FAILURE_TYPES.stagingLost;

  constructor(what: string, how: "gone from the lake's staging area" | "torn") {
    super(`${what} is ${how}; start the job again`);
  }
}
