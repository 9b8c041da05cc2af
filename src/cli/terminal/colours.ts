import { styleText } from "node:util";
import { wrapped } from "./prose.js";
import type { Terminal } from "./terminal.js";

/** A failure; not a count of zero. */
const FAILED = /\bFAIL\b|\b[1-9]\d* failed\b|(?<!\b0 )\b(?:failed|completed_with_failures)\b/g;

export function isFailure(text: string): boolean {
  return text.search(FAILED) >= 0;
}

/** Shows failures in red on a terminal with colours. */
export function coloured({ colours }: Terminal, text: string): string {
  return colours ? text.replace(FAILED, (word) => styleText("red", word, { validateStream: false })) : text;
}

export interface JsonFlag {
  readonly json?: boolean;
}

/** Prints a result as JSON, or for people: wrapped, failures in red. */
export function showResult<R>(
  terminal: Terminal,
  json: boolean | undefined,
  result: R,
  text: (result: R) => string | readonly string[],
): void {
  if (json) terminal.result(JSON.stringify(result));
  else showText(terminal, text(result));
}

export function showText(terminal: Terminal, text: string | readonly string[]): void {
  terminal.result(coloured(terminal, wrapped([text].flat().join("\n"), terminal.columns)));
}
