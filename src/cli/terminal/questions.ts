import { createInterface } from "node:readline/promises";
import { type Readable, Writable } from "node:stream";
import { InputError } from "../../domain/failures.js";
import type { Terminal } from "./terminal.js";

export type Ask = (question: string, isSecret?: boolean) => Promise<string>;

/** Whether somebody at the terminal can answer. */
export function canAsk({ interactive }: Terminal): boolean {
  return interactive && process.stdin.isTTY === true;
}

/**
 * Asks one question after another on a terminal, until it is closed. Answers that are pasted all at once are kept, each for
 * its question. Nothing shows of what is typed for a secret, nor of what comes before its question.
 *
 * @param left what to say to whoever leaves instead of answering
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
  // The question comes after the terminal's own echo is off, and is readline's prompt, which it keeps while a line is edited.
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
