import type { Command } from "commander";

/** The options of every bulk job. */
export function withBulkOptions(command: Command): Command {
  return command
    .option("--validate-only", "only judge the file: every wrong row by line, column and rule")
    .option("--continue-invalid", "run the right rows of a file that has wrong ones")
    .option("--restart", "give up the run of the same job that is going on, and start a new one")
    .option("--detach", "with a cluster: return once the run is started")
    .option("--json", "print the summary as one JSON value on standard output");
}
