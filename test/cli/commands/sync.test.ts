import { Command } from "commander";
import { expect, test } from "vitest";
import { scheduledSync } from "../../../src/cli/commands/sync.js";

function optionsOf(...words: string[]) {
  const command = scheduledSync.define(new Command());
  command.parse(["--roster", "users.csv", ...words], { from: "user" });
  return scheduledSync.job(command.opts(), "/");
}

test("--lookback is an option of jobs that read investments, and of no other", () => {
  expect(() => optionsOf("--lookback", "7")).toThrow(
    "--lookback is for investment_transactions and securities",
  );
  expect(optionsOf()).toMatchObject({ kind: "sync" });
  expect(JSON.stringify(optionsOf())).not.toContain("lookback");
  expect(optionsOf("--streams", "securities")).toMatchObject({ options: { lookback: 30 } });
  expect(optionsOf("--streams", "accounts,investment_transactions", "--lookback", "7")).toMatchObject({
    options: { lookback: 7 },
  });
});
