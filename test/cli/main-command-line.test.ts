import { expect, test } from "vitest";
import { continuingLine } from "../../src/cli/main.js";

const ARGV = [
  "/usr/bin/node",
  "/srv/node_modules/.bin/nightledger",
  "sync",
  "--roster",
  "it's mine.csv",
  "--full",
];

test.each([
  ["as it was typed, for a shell", ARGV, {}, String.raw`nightledger sync --roster 'it'\''s mine.csv' --full`],
  [
    "with npx where npm ran it",
    ARGV,
    { npm_command: "exec" },
    String.raw`npx nightledger sync --roster 'it'\''s mine.csv' --full`,
  ],
  [
    "without --restart, which would give the run up, and --new-lake, which is for once",
    ["node", "x", "sync", "--restart", "--new-lake", "--json"],
    {},
    "nightledger sync --json",
  ],
])("the line that continues a run is the command line %s", (_, argv, env, line) => {
  expect(continuingLine(argv, { env })).toBe(line);
});
