import type { Command } from "commander";
import type { TableFlags } from "../lake/row-table.js";
import type { ForgetFlags } from "../runs/forget.js";
import { type AddCommand, examples } from "./command.js";
import { withTableOptions } from "./table-options.js";

export const forgetCommand: AddCommand = (program, terminal) => {
  withWho(
    program
      .command("forget")
      .argument("<fp_id>", "the user")
      .description("erase a person from every table, with all earlier versions; a tombstone stays"),
  )
    .option("--dry-run", "count the rows of each table, and change nothing")
    .option("--json", "print what was erased as JSON")
    .addHelpText(
      "after",
      examples('nightledger forget fp_1 --reason "request of 5 May" --by privacy@example.com'),
    )
    .action(async (fpId: string, flags: ForgetFlags) => {
      const { runForget } = await import("../runs/forget.js");
      await runForget(terminal, fpId, flags);
    });
};

export const holdCommand: AddCommand = (program, terminal) => {
  const hold = program
    .command("hold")
    .description("set and lift legal holds, which keep persons from being forgotten");
  for (const [name, state, what] of [
    ["add", "held", "set a legal hold on users"],
    ["remove", "lifted", "lift a legal hold from users"],
  ] as const) {
    withWho(hold.command(name).argument("<fp_id...>", "the users").description(what))
      .option("--json", "print what was changed as JSON")
      .action(async (fpIds: string[], flags: ForgetFlags) => {
        const { changeHold } = await import("../sync/forget/hold.js");
        await changeHold(terminal, fpIds, state, flags);
      });
  }
  withTableOptions(hold.command("list").description("list the legal holds that are in force")).action(
    async (flags: TableFlags) => {
      const { listHolds } = await import("../sync/forget/hold.js");
      await listHolds(terminal, flags);
    },
  );
};

function withWho(command: Command): Command {
  return command
    .requiredOption("--reason <text>", "why; include no personal data")
    .requiredOption("--by <text>", "who asks for it");
}
