import type { Command } from "commander";
import { createProgram } from "../../../src/cli/main.js";
import { SILENT } from "./silent-terminal.js";

/** What the program does not know of a command line: the command itself, or flags of it. */
export function unknownIn(args: readonly string[]): readonly string[] {
  const words = args.join(" ").replace(/ --.*/, "").split(" ");
  const found = words.reduce<Command | undefined>(
    (command, word) => command?.commands.find((one) => one.name() === word),
    createProgram(SILENT, () => undefined),
  );
  if (found === undefined) return words;
  const known = found.options.map(({ long }) => long);
  return args.filter((flag) => flag.startsWith("--") && !known.includes(flag));
}
