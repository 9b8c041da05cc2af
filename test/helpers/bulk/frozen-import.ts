import { createHash } from "node:crypto";
import { type FrozenBulkRow, frozenLine } from "../../../src/domain/bulk/bulk-job.js";
import { importJob } from "../../../src/jobs/import.js";
import type { BulkStaging } from "../../../src/lake/bulk/bulk-staging.js";

/** Freezes rows of an import, as a command does; `chunk` of them are one item. */
export async function freezeImport(staging: BulkStaging, rows: number, chunk: number): Promise<void> {
  const frozen = Array.from({ length: rows }, (_, at): FrozenBulkRow => {
    const row = {
      link_id: "l",
      account_id: "a",
      amount: "1.00",
      date: "2026-11-02",
      transaction_id: `t${at}`,
    };
    return { line: at + 1, row, problems: [], result: undefined } as FrozenBulkRow;
  });
  const sha256 = createHash("sha256").update(frozen.map(frozenLine).join("")).digest("hex");
  const file = {
    kind: "import",
    options: { chunk },
    rows,
    invalid: 0,
    sha256,
    origin: "import-1",
    secrets: {},
    retryOf: null,
  };
  await staging.freeze(file as unknown as Parameters<BulkStaging["freeze"]>[0], frozen, importJob.groupRows);
}
