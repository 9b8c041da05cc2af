import type { Command } from "commander";
import type { ForgetFlags } from "../runs/forget.js";
import { type AddCommand, withTableOptions } from "./command.js";

export const forgetCommands: AddCommand = (program, run) => {
  withWho(
    program
      .command("forget")
      .argument("<id>", "the user's fp_id, or your own external_id")
      .description("erase a person from every table, with all earlier versions; a tombstone stays"),
  )
    .option("--dry-run", "count the rows of each table, and change nothing")
    .option("--yes", "erase without asking, as scripts must")
    .option("--json", "print what was erased as JSON")
    .action(run(async () => (await import("../runs/forget.js")).runForget));

  const hold = program
    .command("hold")
    .description("set and lift legal holds, which keep persons from being forgotten");
  for (const [name, state, what] of [
    ["add", "held", "set a legal hold on users"],
    ["remove", "lifted", "lift a legal hold from users"],
  ] as const) {
    withWho(hold.command(name).argument("<fp_id...>", "the users").description(what))
      .option("--json", "print what was changed as JSON")
      .action(
        run(async () => {
          const { changeHold } = await import("../sync/forget/hold.js");
          return (terminal, fpIds: string[], flags: ForgetFlags) => changeHold(terminal, fpIds, state, flags);
        }),
      );
  }
  withTableOptions(hold.command("list").description("list the legal holds that are in force")).action(
    run(async () => (await import("../sync/forget/hold.js")).listHolds),
  );
};

function withWho(command: Command): Command {
  return command
    .requiredOption("--reason <text>", "why; include no personal data")
    .requiredOption("--by <text>", "who asks for it");
}
