import type { Command } from "commander";
import type { Terminal } from "../terminal/terminal.js";

/** Adds one command to the program; `end` gives its exit code. */
export type AddCommand = (program: Command, terminal: Terminal, end: (code: number) => void) => void;

/** Command lines to copy, for the end of a command's help; each is also in docs/reference/commands.md. */
export function examples(...lines: readonly string[]): string {
  return `\n${lines.length === 1 ? "Example" : "Examples"}:\n${lines.map((line) => `  ${line}`).join("\n")}`;
}
