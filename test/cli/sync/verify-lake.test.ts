import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { verified } from "../../helpers/tampering/verified.js";

test("a directory that holds no table is not proved", async () => {
  const directory = await mkdtemp(join(tmpdir(), "nightledger-verify-"));
  try {
    await expect(verified(directory)).rejects.toThrow(
      /holds no table, so nothing was proved\. Name the lake/,
    );
  } finally {
    await rm(directory, { recursive: true });
  }
});
