import type { Command } from "commander";
import type { AnyJob } from "../../jobs/job.js";
import type { JobFlags } from "../session/run-job.js";
import type { Terminal } from "../terminal/terminal.js";
import { NEW_LAKE } from "./command.js";

export function withBulkOptions(command: Command): Command {
  return command
    .option("--validate-only", "only validate the file: list every invalid row by line, column and rule")
    .option("--continue-invalid", "run the valid rows of a file that also has invalid ones")
    .option("--restart", "abandon the job's current run and start a new one")
    .option(...NEW_LAKE)
    .option("--detach", "return as soon as the run has started (needs a Temporal cluster)")
    .option("--json", "print the summary as JSON");
}

/** Adds the command that finishes a run of a job with an effect; `what` is what the user called it. */
export function addContinue(
  parent: Command,
  what: string,
  load: () => Promise<AnyJob>,
  terminal: Terminal,
  end: (code: number) => void,
): void {
  parent
    .command("continue")
    .description(`finish the ${what} that was started but has not ended; its file is not needed`)
    .option(
      "--restart",
      "continue it even if another machine or NIGHTLEDGER_HOME started it; abandon its run here",
    )
    .option("--detach", "return as soon as the run has started (needs a Temporal cluster)")
    .option("--json", "print the summary as JSON")
    .action(async (flags: JobFlags & { readonly restart?: boolean }) => {
      const { continueBulk } = await import("../bulk/steer.js");
      end(await continueBulk(terminal, await load(), flags));
    });
}
