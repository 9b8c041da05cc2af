import { Command } from "commander";
import { expect, test } from "vitest";
import { importCommand } from "../../../src/cli/commands/import.js";
import { SILENT } from "../../helpers/command/silent-terminal.js";

test.each(["0", "5001", "1e2", "-1"])("%s rows of one request are refused", async (rows) => {
  const program = new Command().exitOverride().configureOutput({ writeErr: () => undefined });
  importCommand(program, SILENT, () => undefined);
  const parsed = program.parseAsync(["import", "--transactions", "x", "--chunk", rows], { from: "user" });
  await expect(parsed).rejects.toThrow("accepted: a whole number from 1 to 5000.");
});
