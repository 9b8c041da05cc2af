import { expect, test } from "vitest";
import { TransientError } from "../../src/api/http/errors.js";
import { UnsendableError } from "../../src/domain/failures.js";
import type { Caller } from "../../src/jobs/job.js";
import { vaultWriteJob } from "../../src/jobs/vault-write.js";

const FILE = { bytes: 1, sha256: "00", contentType: null };

/** Works on a row whose upload fails so, after so many requests without an answer. */
async function write(column: string, error: Error, lost: number) {
  const caller = {
    once: async (name: string) => {
      if (name !== "values") throw error;
    },
    file: async () => [],
    lost: async () => lost,
    withToken: (_: object, use: (granted: unknown) => unknown) => use(caller),
  };
  const row = { fp_id: "fp_1", "id.email": "a@b.c", [column]: "x.png" };
  const rows = [{ line: 2, row, files: { [column]: FILE } }];
  const result = await vaultWriteJob.work(rows, caller as unknown as Caller);
  const context = { runId: "r", lake: null as never, sealer: null as never, options: {} };
  const { vault_writes } = vaultWriteJob.rows(context, { rows, result, reason: null, asked: 0 });
  return { end: vaultWriteJob.end?.(result, 0), vault_writes };
}

test("a file that can't be sent ends its row, which says what was written before", async () => {
  const broken = new UnsendableError("parameter identifier: has a slash", "upload_to_vault: no");
  const { end, vault_writes } = await write("upload:custom.x", broken, 0);
  expect(end).toMatchObject({ status: "failed", reason: "unsendable parameter identifier: has a slash" });
  expect(vault_writes).toMatchObject([
    { status: "partly_written", fields_written: '["id.email"]', error_message: null },
  ]);
});

const ERROR = { operation: "upload_to_vault", sent: true, status: 500 };
const FAILED = new TransientError(ERROR, "http_500");

test("an upload that services are known to refuse with 500 ends its row after ten of them, and the row is unknown", async () => {
  const { end, vault_writes } = await write("upload:id.dob", FAILED, 10);
  expect(end).toMatchObject({ status: "failed", reason: "refused http_500" });
  expect(vault_writes).toMatchObject([{ status: "unknown", fields_written: '["id.email"]' }]);
});

test.each([
  ["before", "upload:id.dob", FAILED, 9],
  ["of a kind that every service takes", "upload:custom.x", FAILED, 30],
  ["of another status", "upload:id.dob", new TransientError({ ...ERROR, status: 503 }, "http_503"), 30],
])("one %s is tried again", async (_, column, error, lost) => {
  await expect(write(column, error, lost)).rejects.toBe(error);
});
