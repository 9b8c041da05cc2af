import { resolve } from "node:path";
import { type Command, Option } from "commander";
import { continueCommand, kindWords } from "../../domain/bulk/bulk-job.js";
import { InputError } from "../../domain/failures.js";
import type { AskedBulk } from "../../intake/bulk/asked-job.js";
import type { JobKind } from "../../jobs/kind.js";
import { KINDS } from "../../jobs/kinds/index.js";
import type { BulkFlags } from "../bulk/command.js";
import type { JobFlags } from "../shell/shell.js";
import type { Terminal } from "../terminal/terminal.js";
import { type AddCommand, examples, NEW_LAKE, type Schedulable } from "./command.js";
import { declaredOptions, type Flags, readDeclared, withDeclared } from "./declared-options.js";

/** Commands that have those of several kinds, or others, under them. */
const GROUPS: Readonly<Record<string, string>> = {
  export:
    "export customers as a self-verifying pack, businesses and vault data as tables, transactions as a file",
  vault: "write into the vaults of users",
};

/** Adds the commands of a kind: the one that runs a job and, where its calls change something, the one that finishes it. */
function commandsOf(kind: JobKind): AddCommand {
  return (program, terminal, end) => {
    const command = addWords(program, kind.command).description(kind.description);
    if (kind.example !== undefined) command.addHelpText("after", examples(kind.example));
    withOptionsOf(kind, command).action(async (flags: Flags & BulkFlags) => {
      const { runBulk } = await import("../bulk/command.js");
      end(await runBulk(terminal, askedOf(kind, flags, terminal.cwd), flags));
    });
    if (kind.effect) addContinue(program, kind, terminal, end);
  };
}

/** Adds the commands of every kind of bulk job. */
export const bulkCommands: readonly AddCommand[] = KINDS.map(commandsOf);

/** The jobs of every kind, as schedules take them. */
export const scheduledJobs: readonly Schedulable[] = KINDS.map((kind) => ({
  words: kind.command.split(" "),
  define: (command) => withOptionsOf(kind, command),
  job(flags: Flags & BulkFlags, cwd): AskedBulk {
    const { file, along, ...asked } = askedOf(kind, flags, cwd);
    assertNothingShown(kind, asked.inputs);
    return {
      ...asked,
      file: resolve(cwd, file),
      ...(along && { along: { ...along, file: resolve(cwd, along.file) } }),
    };
  },
}));

function withOptionsOf({ file, options, inputs }: JobKind, command: Command): Command {
  command.requiredOption(`${file.option} <file>`, file.columns);
  withDeclared(command, options);
  if (inputs !== undefined) withDeclared(command, inputs);
  return command
    .option("--validate-only", "only validate the file: list every invalid row by line, column and rule")
    .option("--continue-invalid", "run the valid rows of a file that also has invalid ones")
    .option("--restart", "abandon the job's current run and start a new one")
    .option(...NEW_LAKE)
    .option("--detach", "return as soon as the run has started (needs a Temporal cluster)")
    .option("--json", "print the summary as JSON");
}

/** What a command line asks of a kind. @throws InputError that names an option */
function askedOf(kind: JobKind, flags: Flags, cwd: string): AskedBulk {
  const textOf = (option: Option) => String(flags[option.attributeName()]);
  const options = readDeclared(kind.options, flags, cwd);
  const [along] = declaredOptions(kind.options).flatMap(({ name, option, meta: { rowsOf } }) =>
    rowsOf === undefined || options[name] === undefined ? [] : [{ job: rowsOf, file: textOf(option) }],
  );
  return {
    kind: "bulk",
    job: kind.kind,
    file: textOf(new Option(kind.file.option)),
    along,
    continueInvalid: flags.continueInvalid === true,
    options,
    inputs: kind.inputs === undefined ? {} : readDeclared(kind.inputs, flags, cwd),
  };
}

/** Refuses an input that is given in the clear: a schedule shows its command line. */
function assertNothingShown({ inputs }: JobKind, given: AskedBulk["inputs"]): void {
  for (const {
    name,
    option: { long },
    meta: { path },
  } of inputs === undefined ? [] : declaredOptions(inputs)) {
    const texts = [given[name] ?? []].flat() as readonly string[];
    if (path !== "at" || texts.every((text) => text.startsWith("@"))) continue;
    throw new InputError(
      `${long}: a schedule shows its command line, so its ${name}s come from a file. Nothing was changed. ` +
        `Give ${long} @file with a line for each.`,
    );
  }
}

/** Adds the command that finishes a run of a kind whose calls change something. */
function addContinue(program: Command, kind: JobKind, terminal: Terminal, end: (code: number) => void): void {
  const words = continueCommand(kind.kind).replace("nightledger ", "");
  addWords(program, words)
    .description(
      `finish the ${kindWords(kind.kind)} run that was started but has not ended; its file is not needed`,
    )
    .option(
      "--restart",
      "continue it even if another machine or NIGHTLEDGER_HOME started it; abandon its run here",
    )
    .option("--detach", "return as soon as the run has started (needs a Temporal cluster)")
    .option("--json", "print the summary as JSON")
    .action(async (flags: JobFlags & { readonly restart?: boolean }) => {
      const { continueBulk } = await import("../bulk/steer.js");
      end(await continueBulk(terminal, kind.kind, flags));
    });
}

/** Adds a command under those that its first words name. */
function addWords(program: Command, words: string): Command {
  const [word = "", ...rest] = words.split(" ");
  if (rest.length === 0) return program.command(word);
  const known = program.commands.find((one) => one.name() === word);
  return addWords(known ?? program.command(word).description(GROUPS[word] ?? ""), rest.join(" "));
}
