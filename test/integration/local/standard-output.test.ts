import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const PROGRAM = fileURLToPath(new URL("../../../bin/nightledger.js", import.meta.url));

/** Runs a command by a shell, which says where its output goes. */
function shell(redirected: string): Promise<{ code: number; stdout: string; stderr: string }> {
  const words = `"${process.execPath}" "${PROGRAM}" ${redirected}`;
  const told = { code: 0, ...{ stdout: "", stderr: "" } };
  return promisify(execFile)("sh", ["-c", words]).then(
    (printed) => ({ ...told, ...printed }),
    (ended) => ({ ...told, ...ended }),
  );
}

test.runIf(existsSync("/dev/full"))("a result that can't be written is a failure, in one line", async () => {
  expect(await shell("--version > /dev/full")).toMatchObject({
    ...{ code: 1, stdout: "" },
    stderr: "The result can't be written to standard output (ENOSPC).\n",
  });
});

test("a reader that has read enough is none", async () => {
  expect(await shell("--help | true")).toMatchObject({ code: 0, stderr: "" });
  expect(await shell("--help 2>&-")).toMatchObject({ code: 0, stdout: expect.stringContaining("Usage") });
});
