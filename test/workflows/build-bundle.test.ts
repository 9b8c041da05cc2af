import { expect, test } from "vitest";
import { read, sourcesIn } from "../repository/source-tree.js";

/** A variable, a collection that can be added to, or a static field that is written. */
const STATE = [
  /^(?:export )?(?:let|var) /,
  /^(?:export )?const \w+(?:: (?!Readonly(?:Map|Set)<)[^=]*)? = new (?:Map|Set|WeakMap|WeakSet)\b/,
  /^ {2}(?:private )?static (?!readonly )#?\w+(?:: [^(]*)?(?: =|;)/,
];

test("modules of workflows keep nothing that changes: all workflows of a worker have the same ones", () => {
  const found = sourcesIn("src/workflows", "src/domain").flatMap((path) =>
    read(path)
      .split("\n")
      .filter((line) => STATE.some((form) => form.test(line)))
      .map((line) => `${path}: ${line}`),
  );
  expect(found).toEqual([]);
});
