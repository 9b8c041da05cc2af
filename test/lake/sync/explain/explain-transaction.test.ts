import { expect, test } from "vitest";
import { withLakeReader } from "../../../../src/cli/lake/reader.js";
import { createLocalStore } from "../../../../src/lake/store/local/local-store.js";
import { explainTransaction } from "../../../../src/lake/sync/explain/explain-transaction.js";
import { lakeOfRows } from "../../../helpers/query/lake-of-rows.js";

// Where the service gives an imported row an id of its own, only the import was found, as one that never came back.
test("an imported row is found under the id that was sent and under the service's", async () => {
  const lake = await lakeOfRows({
    transaction_imports: [
      {
        run_id: "import-1",
        line: 2,
        link_id: "l",
        account_id: "mine",
        transaction_id: "own",
        status: "accepted",
      },
    ],
    accounts: [{ link_id: "l", account_id: "theirs", other_fields: '{"original_id":"mine"}' }],
    transaction_changes: [
      {
        ...{
          link_id: "l",
          account_id: "theirs",
          transaction_id: "service",
          other_fields: '{"original_id":"own"}',
        },
        ...{
          run_id: "sync-1",
          sequence: 1,
          generation: 1,
          change_type: "created",
          pending: false,
          inferred: false,
        },
        ...{ fetched_at: "2026-11-21T02:00:00Z", date: "2026-11-20", fp_id: "fp" },
      },
    ],
  });
  const store = createLocalStore(lake.directory);
  try {
    for (const id of ["own", "service"]) {
      const found = await withLakeReader(store, (reader) => explainTransaction(reader, id));
      expect(found).toMatchObject([
        {
          transaction_id: "service",
          link_id: "l",
          state: "live",
          imports: [{ line: 2, seen_in_run: "sync-1" }],
        },
      ]);
    }
  } finally {
    await lake.release();
  }
});
