import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { verified } from "../../helpers/tampering/verified.js";

test("a directory that is no lake is not proved; a lake without tables has nothing to prove", async () => {
  const directory = await mkdtemp(join(tmpdir(), "nightledger-verify-"));
  try {
    await expect(verified(directory)).rejects.toThrow(/is no lake, so nothing was proved\. Name the lake/);
    await mkdir(join(directory, "_nightledger"));
    await writeFile(join(directory, "_nightledger", "service.json"), "{}");
    expect(await verified(directory)).toMatchObject({ code: 0 });
  } finally {
    await rm(directory, { recursive: true });
  }
});
