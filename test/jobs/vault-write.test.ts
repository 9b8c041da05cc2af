import { expect, test } from "vitest";
import { UnsendableError } from "../../src/domain/failures.js";
import type { Caller } from "../../src/jobs/job.js";
import { vaultWriteJob } from "../../src/jobs/vault-write.js";

const FILE = { bytes: 1, sha256: "00", contentType: null };

test("a file that can't be sent ends its row, which says what was written before", async () => {
  const broken = new UnsendableError("parameter identifier: has a slash", "upload_to_vault: no");
  const caller = {
    once: async (name: string) => {
      if (name !== "values") throw broken;
    },
    file: async () => [],
    lost: async () => 0,
    withToken: (_: object, use: (granted: unknown) => unknown) => use(caller),
  };
  const row = { fp_id: "fp_1", "id.email": "a@b.c", "upload:custom.x": "x.png" };
  const rows = [{ line: 2, row, files: { "upload:custom.x": FILE } }];
  const result = await vaultWriteJob.work(rows, caller as unknown as Caller);
  expect(vaultWriteJob.end?.(result, 0)).toMatchObject({
    status: "failed",
    reason: "unsendable parameter identifier: has a slash",
  });
  const context = { runId: "r", lake: null as never, sealer: null as never, options: {} };
  expect(vaultWriteJob.rows(context, { rows, result, reason: null, asked: 0 }).vault_writes).toMatchObject([
    { status: "partly_written", fields_written: '["id.email"]', error_message: null },
  ]);
});
