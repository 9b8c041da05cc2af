import { type Node, parseTree } from "jsonc-parser";

/** For the rare page whose rows must keep their raw text. */
export class RawJson {
  private readonly root: Node | undefined;

  /** @throws EnvelopeError where the text is nested too deep to parse */
  constructor(private readonly text: string) {
    try {
      this.root = parseTree(text);
    } catch (error) {
      if (error instanceof RangeError) throw new EnvelopeError("", "nested too deep");
      throw error;
    }
  }

  /** Undefined where there is none. The last of a repeated key counts. */
  slice(path: readonly string[]): string | undefined {
    const node = this.find(path);
    return node === undefined ? undefined : this.textOf(node);
  }

  /** None where there is no list. */
  elements(path: readonly string[]): string[] {
    return (this.find(path)?.children ?? []).map((node) => this.textOf(node));
  }

  /** In one of the objects along a path, the value's own included. */
  repeatsKeyAlong(path: readonly string[]): boolean {
    return [...path.keys(), path.length].some((length) => {
      const node = this.find(path.slice(0, length));
      const keys = node?.type === "object" ? (node.children ?? []).map(keyOf) : [];
      return new Set(keys).size < keys.length;
    });
  }

  private textOf(node: Node): string {
    return this.text.slice(node.offset, node.offset + node.length);
  }

  private find(path: readonly string[]): Node | undefined {
    let node = this.root;
    for (const key of path) {
      if (node?.type !== "object") return undefined;
      const property = (node.children ?? []).findLast((child) => keyOf(child) === key);
      node = property?.children?.[1];
    }
    return node;
  }
}

function keyOf(property: Node): unknown {
  return property.children?.[0]?.value;
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
