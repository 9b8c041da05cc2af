/** An answer of the service before it goes onto the wire. */
export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** Thrown when the service refuses a call; the server answers it with this status. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** A JSON error body. The service's own shape is not shown (SERVICE.md 7.7): readers must not rely on this one. */
export function errorBody(code: string, message: string): Buffer {
  return Buffer.from(JSON.stringify({ error: { code, message } }));
}

/** An answer 200 with a JSON text. */
export function ok(body: string | Buffer): Answer {
  return { status: 200, body: typeof body === "string" ? Buffer.from(body) : body };
}
