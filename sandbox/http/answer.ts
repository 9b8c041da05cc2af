/** Headers of an answer; a list is sent as several lines. */
type AnswerHeaders = Readonly<Record<string, string | readonly string[]>>;

/** An answer of the service before it goes onto the wire. */
export interface Answer {
  readonly status: number;
  readonly headers?: AnswerHeaders;
  readonly body: Buffer;
  /** An answer of somebody else, passed on: it has no content type but its own. */
  readonly passedOn?: boolean;
}

/** Thrown when the service refuses a call; the server answers it with this status. */
export class Refusal extends Error {
  override readonly name = "Refusal";

  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly headers: AnswerHeaders = {},
  ) {
    super(message);
  }
}

/** Refuses a request that breaks a rule. */
export function refuse(message: string): never {
  throw new Refusal(400, "invalid_request", message);
}

/** Refuses a request for what is not there. */
export function notFound(message: string): never {
  throw new Refusal(404, "not_found", message);
}

/**
 * A JSON error body. The service's own shape is not shown (docs/reference/service.md, "HTTP statuses"): readers must
 * not rely on this one.
 */
export function errorBody(code: string, message: string): Buffer {
  return Buffer.from(JSON.stringify({ error: { code, message } }));
}

/** An answer 200 with a JSON text. */
export function ok(body: string | Buffer): Answer {
  return { status: 200, body: typeof body === "string" ? Buffer.from(body) : body };
}

/** An answer 200 with a value as JSON. */
export function okJson(value: unknown): Answer {
  return ok(JSON.stringify(value));
}
