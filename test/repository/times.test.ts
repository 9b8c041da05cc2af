import { expect, test } from "vitest";
import { SLOW_FILES, SMOKE_FILES, TIMES } from "../helpers/fast-files.js";
import { sourcesIn } from "./source-tree.js";

const files = new Set(sourcesIn("test"));

test("the recorded times and the smoke of npm test name files that are there: npm run test:times writes them", () => {
  expect([...Object.keys(TIMES), ...SMOKE_FILES].filter((path) => !files.has(path))).toEqual([]);
});

test("npm test has most unit test files", () => {
  const units = [...files].filter(
    (path) => path.endsWith(".test.ts") && !/^test\/(integration|long)/.test(path),
  );
  expect(SLOW_FILES.length).toBeLessThan(units.length / 4);
});
