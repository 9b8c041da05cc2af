import { shellWord } from "../../domain/shell-word.js";
import type { Terminal } from "./terminal.js";

/**
 * The command line that joins or continues what this one began, for a shell: as it was typed, but for `--restart`,
 * which would give the run up.
 */
export function continuingLine(argv: readonly string[], { env }: Pick<Terminal, "env">): string {
  const words = argv.slice(2).filter((word) => word !== "--restart");
  // npm says so to what `npx` runs.
  const program = env.npm_command === "exec" ? ["npx", "nightledger"] : ["nightledger"];
  return [...program, ...words].map(shellWord).join(" ");
}
