import { expect, test } from "vitest";
import { labelledLines } from "../../../src/domain/words/texts.js";

test("labels stand in one column, and each text of a list below its label", () => {
  const lines = labelledLines([
    ["run", "sync-1"],
    ["customers", 3],
    ["next", ["one", "two"]],
    ["", "below"],
    ["root", null],
    ["last", []],
    ["links_not_found", "a"],
  ]);
  expect(lines).toEqual([
    "run       sync-1",
    "customers 3",
    "next      one",
    "          two",
    "          below",
    "links_not_found a",
  ]);
  expect(labelledLines([["chain", "whole"]], 10)).toEqual(["chain      whole"]);
});
