import { resolve } from "node:path";
import { type Command, InvalidArgumentError, Option } from "commander";
import { dayText } from "../../api/schemas/fields.js";
import { continueCommand, kindWords } from "../../domain/bulk/bulk-job.js";
import type { BulkRequest } from "../../intake/bulk/bulk-request.js";
import type { JobKind } from "../../jobs/kind.js";
import { KINDS } from "../../jobs/kinds/index.js";
import type { BulkFlags } from "../bulk/command.js";
import type { Terminal } from "../terminal/terminal.js";
import { type AddCommand, NEW_LAKE, type Schedulable } from "./command.js";
import { type Flags, readDeclared, withDeclared } from "./declared-options.js";
import { onboardKind } from "./onboard.js";
import { between, idList } from "./option-values.js";

const GROUPS: Readonly<Record<string, string>> = {
  export:
    "export customers as a self-verifying pack, businesses and vault data as tables, transactions as a file",
  vault: "write into the vaults of users",
};

function addKind(
  kind: JobKind,
  load: () => Promise<(terminal: Terminal, asked: never, flags: BulkFlags) => Promise<number>>,
): AddCommand {
  return (program, run) => {
    const command = addWords(program, kind.command).description(kind.description);
    withOptionsOf(kind, command).action(
      run(async () => {
        const start = await load();
        return (terminal, flags: Flags & BulkFlags) =>
          start(terminal, askedOf(kind, flags, terminal.cwd) as never, flags);
      }),
    );
  };
}

export const onboardCommand = addKind(
  onboardKind,
  async () => (await import("../onboarding/run.js")).runOnboard,
);

export const bulkCommands: AddCommand = (program, run) => {
  for (const kind of KINDS) {
    addKind(kind, async () => (await import("../bulk/command.js")).runBulk)(program, run);
    if (kind.effect) addContinue(kind)(program, run);
  }
  const under = (name: string) => program.commands.find((command) => command.name() === name);
  under("import")
    ?.command("verify")
    .description("list imported rows that no sync has brought back; exit 1 if there are any")
    .option("--days <n>", "days within which an imported row must come back", between(0, 3_650), 3)
    .option("--json", "print the rows as JSON")
    .action(run(async () => (await import("../bulk/verify-imports.js")).verifyImports));
  under("export")
    ?.command("transactions")
    .description("write the transactions of some days into a file, as the lake is or was, with its proof")
    .requiredOption("--from <day>", "first day", day)
    .requiredOption("--to <day>", "last day", day)
    .requiredOption("--out <file>", "the file: .csv or .parquet")
    .option("--accounts <ids>", "only these accounts, comma-separated", idList)
    .option(
      "--as-of <version>",
      "as it was at a version of transaction_changes, or at a day's end",
      versionOrDay,
    )
    .option("--force", "replace the file if it is there")
    .option("--json", "print the proof as JSON")
    .action(run(async () => (await import("../sync/export/transactions.js")).runExportTransactions));
};

export const scheduledJobs: readonly Schedulable[] = [...KINDS, onboardKind].map((kind) => ({
  words: kind.command.split(" "),
  define: (command) => withOptionsOf(kind, command),
  job(flags: Flags & BulkFlags, cwd) {
    const asked = askedOf(kind, flags, cwd);
    return { ...asked, file: resolve(cwd, asked.file) };
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

/** @throws InputError that names an option */
function askedOf(kind: JobKind, flags: Flags, cwd: string): BulkRequest {
  return {
    kind: kind.kind,
    file: String(flags[new Option(kind.file.option).attributeName()]),
    continueInvalid: flags.continueInvalid === true,
    options: readDeclared(kind.options, flags, cwd),
    inputs: kind.inputs === undefined ? {} : readDeclared(kind.inputs, flags, cwd),
  };
}

function addContinue({ kind }: JobKind): AddCommand {
  const words = continueCommand(kind).replace("nightledger ", "");
  return (program, run) =>
    addWords(program, words)
      .description(
        `finish the ${kindWords(kind)} run that was started but has not ended; its file is not needed`,
      )
      .option(
        "--restart",
        "continue it even if another machine or NIGHTLEDGER_HOME started it; abandon its run here",
      )
      .option("--detach", "return as soon as the run has started (needs a Temporal cluster)")
      .option("--json", "print the summary as JSON")
      .action(
        run(async () => {
          const { continueBulk } = await import("../bulk/steer.js");
          return (terminal, flags: BulkFlags) => continueBulk(terminal, kind, flags);
        }),
      );
}

function addWords(program: Command, words: string): Command {
  const [word = "", ...rest] = words.split(" ");
  if (rest.length === 0) return program.command(word);
  const known = program.commands.find((one) => one.name() === word);
  return addWords(known ?? program.command(word).description(GROUPS[word] ?? ""), rest.join(" "));
}

const isDay = (text: string) => dayText.safeParse(text).success;

function day(text: string): string {
  if (isDay(text)) return text;
  throw new InvalidArgumentError("accepted: a day, such as 2026-11-21.");
}

function versionOrDay(text: string): string {
  if (/^\d{1,15}$/.test(text) || isDay(text)) return text;
  throw new InvalidArgumentError("accepted: a version of transaction_changes, or a day, such as 2026-11-21.");
}
