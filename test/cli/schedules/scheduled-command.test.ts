import { expect, test } from "vitest";
import { parseScheduledCommand } from "../../../src/cli/schedules/scheduled-command.js";

const HERE = { cwd: "/here" };

test("an export of businesses: its file by its absolute path", async () => {
  const words = ["export", "kyb", "--businesses", "b.csv", "--continue-invalid"];
  expect(await parseScheduledCommand(HERE, words)).toEqual({
    ...{ kind: "kyb", file: "/here/b.csv", continueInvalid: true, options: {}, inputs: {} },
  });
});

test("a misspelled required flag is named as it was typed", async () => {
  await expect(parseScheduledCommand(HERE, ["sync", "--rosters", "u.csv"])).rejects.toThrow(
    "sync: unknown option '--rosters'\n(Did you mean --roster?). Nothing was changed.",
  );
});
