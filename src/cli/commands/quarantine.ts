import type { ListFlags, ResolveFlags } from "../sync/quarantine.js";
import type { AddCommand } from "./command.js";

export const quarantineCommand: AddCommand = (program, terminal) => {
  const quarantine = program
    .command("quarantine")
    .description("list bad rows, and close those that will never be fixed");
  quarantine
    .command("list")
    .description("list open bad rows, newest first")
    .option("--all", "include closed rows and what closed them")
    .option("--link <id>", "only rows of this bank link")
    .option("--run <id>", "only rows read by this run")
    .option("--payload", "also show each row's original JSON, which contains personal data")
    .option("--json", "print the rows as JSON")
    .action(async (flags: ListFlags) => {
      const { listQuarantine } = await import("../sync/quarantine.js");
      await listQuarantine(terminal, flags);
    });
  quarantine
    .command("resolve")
    .description("close open rows and record why; select them in exactly one way")
    .requiredOption("--reason <text>", "why they are being closed; include no personal data")
    .option("--row <ids...>", "the rows with these ids, as `quarantine list` shows them")
    .option("--link <id>", "every open row of this bank link")
    .option("--run <id>", "every open row read by this run")
    .option("--all-open", "every open row in the lake")
    .option("--json", "print what was closed as JSON")
    .action(async (flags: ResolveFlags) => {
      const { resolveQuarantine } = await import("../sync/quarantine.js");
      await resolveQuarantine(terminal, flags);
    });
};
