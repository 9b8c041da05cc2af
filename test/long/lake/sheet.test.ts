import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startCommand } from "../../helpers/command/command-process.js";
import { unzipped } from "../../helpers/query/sheet-reader.js";

test("a sheet holds 1,048,575 rows below its header, and no more are written", async () => {
  const directory = await mkdtemp(join(tmpdir(), "nightledger-sheet-"));
  try {
    await mkdir(join(directory, "lake", "_nightledger"), { recursive: true });
    const write = (rows: number) =>
      startCommand(["query", `from range(${rows})`, "--output", "rows.xlsx"], {
        cwd: directory,
        env: { NIGHTLEDGER_LAKE: "lake" },
      }).ended;
    expect((await write(1_048_575)).stderr).toContain("wrote 1048575 rows");
    const sheet = unzipped(await readFile(join(directory, "rows.xlsx")), "xl/worksheets/sheet1.xml");
    expect(sheet.slice(-80)).toContain('<c r="A1048576"><v>1048574</v></c>');
    const { code, stderr } = await write(1_048_576);
    expect([code, stderr]).toEqual([2, expect.stringContaining("can't hold more than 1048575 rows")]);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});
