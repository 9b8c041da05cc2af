import { expect, test } from "vitest";
import { declaredOptions } from "../../../src/cli/commands/declared-options.js";
import { KINDS } from "../../../src/jobs/kinds/index.js";

test("every option whose text of the user's own stays with its run says so", () => {
  const texts = KINDS.flatMap(({ options }) =>
    declaredOptions(options).filter(({ name }) => /reason$|^approver$/.test(name)),
  );
  expect(texts.map(({ option }) => option.long)).toEqual([...["--approver", "--reason", "--reason"]]);
  for (const { option } of texts) expect(option.description).toContain("kept with the run");
});
