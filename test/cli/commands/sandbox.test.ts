import { Command } from "commander";
import { expect, test } from "vitest";
import { sandboxCommand } from "../../../src/cli/commands/sandbox.js";

test.each([
  [["--population", "real"], /Allowed choices are synthetic, volume, berka/],
  [["--users", "many"], /--users .*accepted: a whole number/],
  [["--port", "65536"], /--port .*accepted: a number from 0 to 65535/],
  [["--rows", "100000000"], /--rows .*accepted: a whole number from 0 to 99999999/],
])("%s is refused by the option's name", async (options, message) => {
  const program = new Command().exitOverride().configureOutput({ writeErr: () => undefined });
  sandboxCommand(program, () => async () => undefined);
  await expect(program.parseAsync(["sandbox", ...options], { from: "user" })).rejects.toThrow(message);
});
