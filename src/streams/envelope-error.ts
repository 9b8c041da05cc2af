/** Thrown when a body is not the JSON of its operation; the message never holds a value. */
export class EnvelopeError extends Error {
  override readonly name = "EnvelopeError";

  constructor(
    readonly path: string,
    readonly expectation: string,
  ) {
    super(`${path === "" ? "body" : path}: ${expectation}`);
  }
}
