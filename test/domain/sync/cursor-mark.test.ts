import { expect, test } from "vitest";
import { movesMark } from "../../../src/domain/sync/cursor-mark.js";

test("the mark moves after pages 1, 2, 4, 8 and so on", () => {
  const moves = Array.from({ length: 1_100 }, (_, at) => at + 1).filter(movesMark);
  expect(moves).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024]);
});
