import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readPage } from "../../../helpers/board/read-page.js";

// With Temporal: test/integration/board/working.test.ts.
test("without Temporal the page says what the command would need", async () => {
  const directory = await mkdtemp(join(tmpdir(), "nightledger-board-"));
  try {
    const { model, body } = await readPage({ directory, env: {} }, "/schedules");
    expect(model).toMatchObject({ schedules: [], offline: expect.stringContaining("NIGHTLEDGER_API_KEY") });
    expect(body.html).toContain("nightledger dev");
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});
