import { appendFileSync, readFileSync } from "node:fs";
import { afterAll, expect } from "vitest";

// RECORD_TEST_TIMES=<file> appends a line of JSON for each test file: the seconds of CPU that it cost, with what it
// started and waited for. `times.json` is such a record; it says which file costs what.
const target = process.env.RECORD_TEST_TIMES;
const TICKS_A_SECOND = 100;

if (target !== undefined) {
  const before = cpuSeconds();
  afterAll(() => {
    const path = expect.getState().testPath ?? "";
    const seconds = Number((cpuSeconds() - before).toFixed(1));
    appendFileSync(target, `${JSON.stringify({ [path.slice(path.lastIndexOf("/test/") + 1)]: seconds })}\n`);
  });
}

/** Of this process and its ended children, by Linux's account of it. */
function cpuSeconds(): number {
  const text = readFileSync("/proc/self/stat", "utf8");
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS_A_SECOND;
}
