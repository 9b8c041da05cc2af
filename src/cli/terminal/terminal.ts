import { timeStamp } from "./clock.js";

/** A command's environment and output; standard output is for results only. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Whether standard error is a terminal: bars and colours, or plain lines. */
  readonly interactive: boolean;
  /** The command line that joins or continues what this one began; left out where nobody typed one. */
  readonly again?: string;
  result(text: string): void;
  say(line: string): void;
}

/** Adds the time to each line, for a log: people watch a terminal, but read a log later. */
export function withTimeStamps(terminal: Terminal): Terminal {
  if (terminal.interactive) return terminal;
  return { ...terminal, say: (line) => terminal.say(`${timeStamp(new Date())} ${line}`) };
}

export function processTerminal(): Terminal {
  return {
    env: process.env,
    cwd: process.cwd(),
    interactive: process.stderr.isTTY === true,
    result: (text) => void process.stdout.write(`${text}\n`),
    say: (line) => void process.stderr.write(`${line}\n`),
  };
}
