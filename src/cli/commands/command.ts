import type { Command } from "commander";
import type { Terminal } from "../terminal/terminal.js";

/** Adds one command to the program; `end` gives its exit code. */
export type AddCommand = (program: Command, terminal: Terminal, end: (code: number) => void) => void;
