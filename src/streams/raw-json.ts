import { rawMembers, rawParts } from "../domain/json/text.js";

/** Finds the raw text at a path of object keys; undefined where there is none. The last of a repeated key counts. */
export function rawValue(json: string, path: readonly string[]): string | undefined {
  let value: string | undefined = json;
  for (const key of path) value = value?.trimStart().startsWith("{") ? rawMembers(value).get(key) : undefined;
  return value;
}

/** Whether a key is repeated in one of the objects along a path, the value's own included. */
export function repeatsKeyAlong(json: string, path: readonly string[]): boolean {
  return [...path.keys(), path.length].some((length) => {
    const keys = [...rawParts(rawValue(json, path.slice(0, length)) ?? "")].map(([name]) => name);
    return new Set(keys).size < keys.length;
  });
}

const ESCAPE =
  /\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[dD][89a-fA-F][0-9a-fA-F]{2}|\\[^u]|\\u[0-9a-fA-F]{4}/g;
const PAIR_LENGTH = 12;
const SURROGATE = /^\\u[dD][89a-fA-F]/;

/** Whether a text may hold escaped halves of pairs; whole pairs count too. */
export function mayHoldSurrogates(body: Buffer): boolean {
  return body.includes("\\ud") || body.includes("\\uD");
}

/** An ASCII letter as an escape. */
const ESCAPED_LETTER = /\\u00[4-7]/;

/** Whether a text may hold one of these keys twice; rows and texts that hold it count too. */
export function mayRepeat(text: string, keys: Iterable<string>): boolean {
  for (const key of keys) {
    const quoted = JSON.stringify(key);
    const first = text.indexOf(quoted);
    if (first !== -1 && text.includes(quoted, first + quoted.length)) return true;
  }
  return ESCAPED_LETTER.test(text);
}

/** Replaces halves of surrogate pairs, which JSON can express and UTF-8 and DuckDB can't. */
export function replaceLoneSurrogates(json: string): string {
  return json.replace(ESCAPE, (sequence) =>
    sequence.length !== PAIR_LENGTH && SURROGATE.test(sequence) ? "\\ufffd" : sequence,
  );
}

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
