import { expect, test } from "vitest";
import { declaredOptions, shownWords } from "../../../src/cli/commands/declared-options.js";
import { KINDS } from "../../../src/jobs/kinds/index.js";

test("every option whose text of the user's own stays with its run says so", () => {
  const texts = KINDS.flatMap(({ options }) =>
    declaredOptions(options).filter(({ name }) => /reason$|^approver$/.test(name)),
  );
  expect(texts.map(({ option }) => option.long)).toEqual([...["--approver", "--reason", "--reason"]]);
  for (const { option } of texts) expect(option.description).toContain("kept with the run");
});

test.for([
  ["sync --roster users.csv --full", "sync --roster users.csv --full"],
  ["onboard --continuation-command ./send?token=1", "onboard --continuation-command …"],
  ["onboard --continuation-command=./send?token=1", "onboard --continuation-command=…"],
  ["export vault --hmac-key key.txt", "export vault --hmac-key key.txt"],
] as const)("of %s the table runs shows %s", ([typed, shown]) => {
  expect(shownWords(typed.split(" "))).toEqual(shown.split(" "));
});
