import { fileError, type InputFile, LONGEST_ROW } from "./input-file.js";
import { textOf } from "./text.js";

/** A line of a JSONL file. */
export interface JsonLine {
  /** From 1. */
  readonly line: number;
  readonly text: string;
}

/** The lines of a JSONL file; empty ones are passed over. @throws InputError for a line that is too long. */
export async function* jsonLines(file: InputFile): AsyncGenerator<JsonLine> {
  let line = 0;
  let rest = "";
  for await (const piece of textOf(file)) {
    const parts = (rest + piece).split("\n");
    rest = parts.pop() ?? "";
    for (const text of parts) {
      line += 1;
      if (text.trim() !== "") yield { line, text };
    }
    if (rest.length > LONGEST_ROW) {
      throw fileError(file, `line ${line + 1} is longer than 16 MB`, "Give one object a line.");
    }
  }
  if (rest.trim() !== "") yield { line: line + 1, text: rest };
}

/** Whether a decimal outside of texts has more digits than arrive unchanged; integers are judged one by one. */
export function losesDigits(text: string): boolean {
  if (!/\d[\d.]{15}/.test(text)) return false;
  const decimals = text.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""').match(/\d+\.\d+/g) ?? [];
  return decimals.some((decimal) => decimal.replace(".", "").replace(/^0+/, "").length > 15);
}
