import { expect, test } from "vitest";
import { coloured } from "../../../src/cli/terminal/colours.js";
import { SILENT } from "../../helpers/command/silent-terminal.js";

test.each([
  ["status  failed", "status  <failed>"],
  ["status  completed_with_failures in 3 s", "status  <completed_with_failures> in 3 s"],
  ["12 done, 10 failed, 0 skipped", "12 done, <10 failed>, 0 skipped"],
  ["12 done, 0 failed", "12 done, 0 failed"],
  ["FAIL service: 401", "<FAIL> service: 401"],
  ["--failed-links, failed_run, FAILURE", "--<failed>-links, failed_run, FAILURE"],
])("%s is coloured where it says that something failed", (text, marked) => {
  const painted = marked.replaceAll("<", "\u001b[31m").replaceAll(">", "\u001b[39m");
  expect(coloured({ ...SILENT, colours: true }, text)).toBe(painted);
  expect(coloured(SILENT, text)).toBe(text);
});
