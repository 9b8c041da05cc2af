import { expect, test } from "vitest";
import { saidError } from "../../../src/cli/terminal/exit-code.js";

test("a full HOME is told in words, with the file and what to do", () => {
  const raw = Object.assign(new Error("ENOSPC: no space left on device, write"), {
    code: "ENOSPC",
    path: "/srv/.nightledger/keys",
  });
  expect(saidError(raw).words).toMatch(
    /^TransientError: No space left to write \/srv\/.nightledger\/keys \(ENOSPC\)\. Nothing was published.*make room/,
  );
});
