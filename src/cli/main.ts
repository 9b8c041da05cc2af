import { type Command, CommanderError } from "commander";
import { InputError } from "../domain/failures.js";
import { commandLine } from "../domain/words/texts.js";
import { VERSION } from "../version.js";
import { bulkCommands, onboardCommand } from "./commands/bulk-jobs.js";
import { callCommand } from "./commands/call.js";
import { type AddCommand, runIn } from "./commands/command.js";
import { forgetCommands } from "./commands/forget.js";
import { arrangeHelp } from "./commands/help.js";
import { lakeCommands } from "./commands/lake.js";
import { localCommands } from "./commands/local.js";
import { runsCommands } from "./commands/runs.js";
import { sandboxCommand } from "./commands/sandbox.js";
import { scheduleCommand } from "./commands/schedule.js";
import { syncCommands } from "./commands/sync.js";
import { boardCommands } from "./commands/ui.js";
import { webhooksCommand } from "./commands/webhooks.js";
import { CliCommand } from "./terminal/cli-command.js";
import { EXIT, exitCodeOf, saidError } from "./terminal/exit-code.js";
import { processTerminal, programWords, type Terminal } from "./terminal/terminal.js";

const COMMANDS: readonly AddCommand[] = [
  ...[localCommands, sandboxCommand, lakeCommands, syncCommands, bulkCommands, onboardCommand, callCommand],
  ...[runsCommands, boardCommands, scheduleCommand, forgetCommands, webhooksCommand],
];

export function createProgram(terminal: Terminal, end: (code: number) => void): Command {
  const program = new CliCommand("nightledger")
    .enablePositionalOptions()
    .description(
      "Nightly bank-data syncs as Temporal workflows, into open tables that are exact whatever is killed.",
    )
    .version(VERSION)
    .exitOverride()
    .showHelpAfterError("Add --help to the command for its flags and an example.")
    .configureOutput({
      writeOut: (text) => process.stdout.write(text),
      writeErr: (text) => process.stderr.write(text),
    });
  for (const add of COMMANDS) add(program, runIn(terminal, end));
  arrangeHelp(program);
  return program;
}

export async function main(argv: readonly string[], terminal: Terminal = processTerminal()): Promise<void> {
  const shown = commandLine(["nightledger", ...argv.slice(2)]);
  const more = { shown, again: continuingLine(argv, terminal), newLake: argv.includes("--new-lake") };
  process.exitCode = await run(argv, { ...terminal, ...more });
}

async function run(argv: readonly string[], terminal: Terminal): Promise<number> {
  let code: number = EXIT.completed;
  const json = argv.includes("--json");
  const program = createProgram(terminal, (given) => {
    code = given;
  });
  try {
    await program.parseAsync(argv);
    return code;
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return EXIT.completed;
      if (json) {
        const said = saidError(new InputError(error.message.replace(/^error: /, "")));
        terminal.result(JSON.stringify(said.json));
      }
      return EXIT.usage;
    }
    const said = saidError(error);
    if (json) terminal.result(JSON.stringify(said.json));
    terminal.say(said.words);
    return exitCodeOf(error);
  }
}

/**
 * Writes the command line that joins or continues what this one began, for a shell: as it was typed, but without
 * `--restart`, which would give up the run, and `--new-lake`, which is for once.
 */
export function continuingLine(argv: readonly string[], terminal: Pick<Terminal, "env">): string {
  const words = argv.slice(2).filter((word) => word !== "--restart" && word !== "--new-lake");
  return commandLine([...programWords(terminal), ...words]);
}
