import { timeStamp } from "./clock.js";
import { wrapped } from "./prose.js";

/** A command's environment and output; standard output is for results. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Standard error is a terminal: bars and colours instead of plain lines. */
  readonly interactive: boolean;
  /** Left out where results go to a pipe or a file. */
  readonly columns?: number;
  readonly colours?: boolean;
  /** The command line that joins or continues this one; left out where nobody typed one. */
  readonly again?: string;
  /** The command line without secrets; left out where nobody typed one. */
  readonly shown?: string;
  /** `--new-lake` */
  readonly newLake?: boolean;
  result(text: string): void;
  say(line: string): void;
}

/** Adds the time to each line of a log. */
export function withTimeStamps(terminal: Terminal): Terminal {
  if (terminal.interactive) return terminal;
  return { ...terminal, say: (line) => terminal.say(`${timeStamp(new Date())} ${line}`) };
}

/** How this program was called. */
export function programWords({ env }: Pick<Terminal, "env">): readonly string[] {
  // `npx` sets it.
  return env.npm_command === "exec" ? ["npx", "nightledger"] : ["nightledger"];
}

/** The terminal of this process; it exits with 1 where a result can't be written. */
export function processTerminal(): Terminal {
  process.stdout.on("error", ({ code }: NodeJS.ErrnoException) => {
    // The reader closed the pipe (`head`): no error.
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
    // Node reads NO_COLOR and TERM=dumb.
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
