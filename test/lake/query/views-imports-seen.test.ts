import { expect, test } from "vitest";
import { rowsOver } from "../../helpers/query/lake-of-rows.js";

const row = (id: string, values: object = {}) => ({
  run_id: "import-1",
  line: 1,
  link_id: "l",
  account_id: "a",
  transaction_id: id,
  status: "accepted",
  ...values,
});
const change = (id: string, values: object = {}) => ({
  link_id: "l",
  account_id: "a",
  transaction_id: id,
  change_type: "created",
  sequence: 1,
  run_id: "sync-1",
  ...values,
});

test("each row has the run that first brought it back; those of other links, accounts and ids do not", async () => {
  const imported = [
    row("1"),
    row("1", { run_id: "import-2", status: "unknown" }),
    row("2", { status: "unknown" }),
    ...["3", "4", "5"].map((id) => row(id)),
    row("6", { link_id: "m" }),
  ];
  const feed = [
    change("1", { sequence: 7, run_id: "sync-2" }),
    change("1", { sequence: 3 }),
    change("2", { change_type: "updated" }),
    change("3", { change_type: "removed" }),
    change("4", { account_id: "b" }),
    change("6"),
  ];
  const tables = { transaction_imports: imported, transaction_changes: feed };
  const seen = await rowsOver(tables, "from imports_seen order by transaction_id, run_id");
  expect(
    seen.map(({ transaction_id, run_id, seen_in_run }) => [transaction_id, run_id, seen_in_run]),
  ).toEqual([
    ["1", "import-1", "sync-1"],
    ["1", "import-2", "sync-1"],
    ["2", "import-1", "sync-1"],
    ...["3", "4", "5", "6"].map((id) => [id, "import-1", null]),
  ]);
});
