import { timeStamp } from "./clock.js";
import { wrapped } from "./prose.js";

/** A command's environment and output; standard output is for results only. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Whether standard error is a terminal: bars and colours, or plain lines. */
  readonly interactive: boolean;
  /** How wide the terminal is that results go to; left out where they go to a pipe or a file. */
  readonly columns?: number;
  readonly colours?: boolean;
  /** The command line that joins or continues what this one began; left out where nobody typed one. */
  readonly again?: string;
  /** The command line as it was typed, without texts that may be secret; left out where nobody typed one. */
  readonly shown?: string;
  /** Whether the command may start a new lake where another one was. */
  readonly newLake?: boolean;
  result(text: string): void;
  say(line: string): void;
}

/** Adds the time to each line, for a log: people watch a terminal, but read a log later. */
export function withTimeStamps(terminal: Terminal): Terminal {
  if (terminal.interactive) return terminal;
  return { ...terminal, say: (line) => terminal.say(`${timeStamp(new Date())} ${line}`) };
}

/** The words by which this program was called, and is called again. */
export function programWords({ env }: Pick<Terminal, "env">): readonly string[] {
  // npm sets this for what `npx` runs.
  return env.npm_command === "exec" ? ["npx", "nightledger"] : ["nightledger"];
}

/** The terminal of this process. A result that can't be written is said, and the process then exits with 1. */
export function processTerminal(): Terminal {
  process.stdout.on("error", ({ code }: NodeJS.ErrnoException) => {
    // Whoever read it has read enough.
    if (code === "EPIPE") return;
    process.once("exit", () => {
      process.exitCode ||= 1;
    });
    process.stderr.write(`The result can't be written to standard output (${code}).\n`);
  });
  process.stderr.on("error", () => undefined);
  return {
    env: process.env,
    cwd: process.cwd(),
    interactive: process.stderr.isTTY === true,
    // Node asks for NO_COLOR and TERM=dumb.
    ...(process.stdout.isTTY && {
      columns: process.stdout.columns || 80,
      colours: process.stdout.hasColors(),
    }),
    result: (text) => void process.stdout.write(`${text}\n`),
    say: (line) => {
      const width = process.stderr.isTTY ? process.stderr.columns || 80 : undefined;
      process.stderr.write(`${wrapped(line, width)}\n`);
    },
  };
}
