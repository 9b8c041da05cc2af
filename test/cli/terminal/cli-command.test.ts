import { expect, test } from "vitest";
import { CliCommand, gathered } from "../../../src/cli/terminal/cli-command.js";

function errorOf(...words: string[]): string {
  const silent = { writeOut: () => undefined, writeErr: () => undefined };
  const program = new CliCommand("program").exitOverride().configureOutput(silent);
  program
    .command("sync")
    .requiredOption("--roster <file>")
    .option("--full")
    .option("--param <name>", "", gathered)
    .action(() => undefined);
  program
    .command("create")
    .argument("<name>")
    .argument("<job...>")
    .option("--at <time>")
    .action(() => undefined);
  try {
    program.parse(words, { from: "user" });
  } catch (error) {
    return (error as Error).message;
  }
  return "";
}

test.each([
  ["a misspelled required flag", ["sync", "--rosters", "u.csv"], "--rosters", "\n(Did you mean --roster?)"],
  [
    "a misspelled flag beside a required one",
    ["sync", "--roster", "u", "--ful"],
    "--ful",
    "\n(Did you mean --full?)",
  ],
  [
    "a misspelled flag before two dashes",
    ["create", "x", "--att", "3", "--", "sync"],
    "--att",
    "\n(Did you mean --at?)",
  ],
])("%s is named as it was typed", (_, words, flag, suggestion) => {
  expect(errorOf(...words)).toBe(`error: unknown option '${flag}'${suggestion}`);
});

test("a required flag that is missing is named", () => {
  expect(errorOf("sync", "--full")).toBe("error: required option '--roster <file>' not specified");
});

test("a job without two dashes: the message says where they belong", () => {
  expect(errorOf("create", "x", "--at", "3", "sync", "--roster", "my users.csv")).toBe(
    "error: put -- before the job, as in: -- sync --roster 'my users.csv'",
  );
  expect(errorOf("create", "x", "--at", "3", "--", "sync", "--roster", "users.csv")).toBe("");
});

test("a flag whose value would be dropped for a second one is refused; one that gathers values is not", () => {
  expect(errorOf("sync", "--roster", "a", "--roster=b")).toBe(
    "error: option '--roster <file>' is given more than once; give it once",
  );
  expect(errorOf("sync", "--roster", "a", "--full", "--full", "--param", "1", "--param", "2")).toBe("");
});
