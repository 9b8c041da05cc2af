import { appendFileSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, expect } from "vitest";
import { checkCost, machinePace } from "./fast-files.js";

// The seconds of CPU that the tests of each file cost, with what they started and waited for. What a file imports is not
// among them: processes are shared, so the first file would pay for all that come after it.
// RECORD_TEST_TIMES=<file> appends a line of JSON a file. In `npm test` a file that costs too much fails.
const target = process.env.RECORD_TEST_TIMES;
const isFast = process.env.TEST_FILES_ARE_FAST !== undefined;
const TICKS_A_SECOND = 100;

if ((target !== undefined || isFast) && process.platform === "linux") {
  let before = 0;
  let pace = 1;
  beforeAll(() => {
    pace = machinePace();
    before = cpuSeconds();
  });
  afterAll(() => {
    const seconds = cpuSeconds() - before;
    const path = expect.getState().testPath ?? "";
    const name = path.slice(path.lastIndexOf("/test/") + 1);
    if (target === undefined) return checkCost(name, seconds, pace);
    appendFileSync(target, `${JSON.stringify({ [name]: seconds / machinePace() })}\n`);
  });
}

/** Of this process and its ended children, by Linux's account of it. */
function cpuSeconds(): number {
  const text = readFileSync("/proc/self/stat", "utf8");
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS_A_SECOND;
}
