import { expect, test } from "vitest";
import { parseScheduledCommand } from "../../../src/cli/schedules/scheduled-command.js";

const read = (...words: string[]) =>
  parseScheduledCommand({ cwd: "/here" }, ["onboard", "--customers", "c.csv", ...words]);

test("a batch has its playbook's version, defaults and an absolute path", async () => {
  expect(await read("--playbook", "pb_1:v3", "--deadline", "36h")).toEqual({
    ...{ kind: "onboard", file: "/here/c.csv", continueInvalid: false },
    options: { playbook: "pb_1:v3", mode: "async" },
    inputs: { window: 100, circuit: 20, deadline: 36 * 3_600_000 },
  });
});

test.each([
  [":v3", [], "--playbook is not <playbook_key>"],
  ["pb_1", ["--mode", "both"], "--mode is not sync or async"],
  ["pb_1", ["--window", "0"], "--window is not a whole number from 1 to 500"],
  ["pb_1", ["--deadline", "soon"], "--deadline is not a number and a unit, such as 14d"],
])("playbook %s with %j is refused", async (playbook, more, words) => {
  await expect(read("--playbook", playbook, ...more)).rejects.toThrow(words);
});
