import type { Command } from "commander";

export function withBulkOptions(command: Command): Command {
  return command
    .option("--validate-only", "only validate the file: list every invalid row by line, column and rule")
    .option("--continue-invalid", "run the valid rows of a file that also has invalid ones")
    .option("--restart", "abandon the job's current run and start a new one")
    .option("--detach", "return as soon as the run has started (needs a Temporal cluster)")
    .option("--json", "print the summary as JSON");
}
