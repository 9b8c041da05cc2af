import type { Command } from "commander";
import type { ListFlags, ResolveFlags } from "../sync/quarantine.js";
import type { AddCommand } from "./command.js";

/** `nightledger quarantine` */
export const quarantineCommand: AddCommand = (program: Command, terminal) => {
  const quarantine = program
    .command("quarantine")
    .description("look after bad rows: which are open, and closing those that will never come good");
  quarantine
    .command("list")
    .description("list the bad rows that are open, the newest first")
    .option("--all", "closed ones too, with what closed them")
    .option("--link <id>", "only of this bank link")
    .option("--run <id>", "only what this run brought")
    .option("--payload", "show each row's own JSON too, which has personal data")
    .option("--json", "print an array of rows on standard output")
    .action(async (flags: ListFlags) => {
      const { listQuarantine } = await import("../sync/quarantine.js");
      await listQuarantine(terminal, flags);
    });
  quarantine
    .command("resolve")
    .description("close open rows for a reason, which stays on record; give one way to name them")
    .requiredOption("--reason <text>", "why they are closed; write nothing personal into it")
    .option("--row <ids...>", "these rows, by their ids in `quarantine list`")
    .option("--link <id>", "every open row of this bank link")
    .option("--run <id>", "every open row that this run brought")
    .option("--all-open", "every open row of the lake")
    .option("--json", "print what was closed as one JSON value on standard output")
    .action(async (flags: ResolveFlags) => {
      const { resolveQuarantine } = await import("../sync/quarantine.js");
      await resolveQuarantine(terminal, flags);
    });
};
