import { createInterface } from "node:readline/promises";
import { type Readable, Writable } from "node:stream";
import { InputError } from "../../domain/failures.js";
import type { Terminal } from "./terminal.js";

export type Ask = (question: string, isSecret?: boolean) => Promise<string>;

export function canAsk({ interactive }: Terminal): boolean {
  return interactive && process.stdin.isTTY === true;
}

/**
 * Asks questions one after another. Answers pasted at once are each for their question. What is typed for a secret, or
 * before a question, is not shown.
 * @param left the error for somebody who leaves
 */
export function questionsOn(
  input: Readable,
  output: Writable & { readonly columns?: number },
  left: string,
): { readonly ask: Ask; close(): void } {
  let shows = false;
  const shown = new Writable({
    write(chunk, _encoding, done) {
      if (shows) output.write(chunk);
      done();
    },
  });
  Object.defineProperty(shown, "columns", { get: () => output.columns });
  // readline's own prompt keeps the question while the line is edited.
  const lines = createInterface({ input, output: shown, terminal: true, historySize: 0 });
  const answers: string[] = [];
  let waiting: { answered(line: string): void; left(): void } | undefined;
  let hasLeft = false;
  const leave = () => {
    hasLeft = true;
    waiting?.left();
  };
  lines.on("SIGINT", leave).on("close", leave);
  lines.on("line", (line) => {
    shows = false;
    const asked = waiting;
    waiting = undefined;
    if (asked === undefined) answers.push(line);
    else asked.answered(line);
  });
  const ask: Ask = async (question, isSecret = false) => {
    const kept = answers.shift();
    if (kept === undefined && hasLeft) throw new InputError(left);
    if (kept !== undefined) output.write(question + (isSecret ? "" : kept));
    else if (isSecret) output.write(question);
    else {
      shows = true;
      lines.setPrompt(question);
      lines.prompt(true);
    }
    try {
      return kept ?? (await nextLine());
    } finally {
      if (isSecret || kept !== undefined) output.write("\n");
    }
  };
  const nextLine = () =>
    new Promise<string>((answered, refuse) => {
      waiting = { answered, left: () => refuse(new InputError(left)) };
    });
  return { ask, close: () => lines.close() };
}
