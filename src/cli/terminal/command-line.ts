import { shellWord } from "../../domain/words/shell-word.js";
import type { Terminal } from "./terminal.js";

/**
 * Writes the command line that joins or continues what this one began, for a shell: as it was typed, but without
 * `--restart`, which would give up the run, and `--new-lake`, which is for once.
 */
export function continuingLine(argv: readonly string[], { env }: Pick<Terminal, "env">): string {
  const words = argv.slice(2).filter((word) => word !== "--restart" && word !== "--new-lake");
  // npm sets this for what `npx` runs.
  const program = env.npm_command === "exec" ? ["npx", "nightledger"] : ["nightledger"];
  return [...program, ...words].map(shellWord).join(" ");
}
