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
    ...["7", "8"].map((id) => row(id)),
  ];
  const feed = [
    change("1", { sequence: 7, run_id: "sync-2" }),
    change("1", { sequence: 3 }),
    change("2", { change_type: "updated" }),
    change("3", { change_type: "removed" }),
    change("4", { account_id: "b" }),
    change("6"),
    change("txn_7", { account_id: "acc", other_fields: '{"original_id":"7"}' }),
    change("txn_8", { account_id: "other", other_fields: '{"original_id":"8"}' }),
  ];
  const accounts = [{ link_id: "l", account_id: "acc", other_fields: '{"original_id":"a"}' }];
  const tables = { transaction_imports: imported, transaction_changes: feed, accounts };
  const seen = await rowsOver(tables, "from imports_seen order by transaction_id, run_id");
  expect(
    seen.map(({ transaction_id, run_id, seen_in_run }) => [transaction_id, run_id, seen_in_run]),
  ).toEqual([
    ["1", "import-1", "sync-1"],
    ["1", "import-2", "sync-1"],
    ["2", "import-1", "sync-1"],
    ...["3", "4", "5", "6"].map((id) => [id, "import-1", null]),
    ["7", "import-1", "sync-1"],
    ["8", "import-1", null],
  ]);
});

test("rows that come back without ids are known by their content, where exactly one fits", async () => {
  const content = { link_id: "l", date: "2026-11-01", description: "Rent" };
  const paid = (id: string, link_id: string) =>
    row(id, { ...content, link_id, amount: "-5.50", imported_at: "2026-11-02T10:00:00Z" });
  const came = (id: string, link_id: string, values: object = {}) =>
    change(id, { ...content, link_id, amount: "5.50", fetched_at: "2026-11-02T11:00:00Z", ...values });
  const imported = [
    ...["fits", "fits by the institution's words", "two fit", "was there", "other day"].map((link) =>
      paid("1", link),
    ),
    ...["1", "2"].map((id) => paid(id, "fits two")),
  ];
  const feed = [
    came("txn", "fits"),
    came("txn", "fits by the institution's words", { description: "R", raw_description: "Rent" }),
    ...["txn", "txn_2"].map((id) => came(id, "two fit")),
    came("txn", "was there", { fetched_at: "2026-11-01T00:00:00Z" }),
    came("txn", "other day", { date: "2026-11-02" }),
    came("txn", "fits two"),
  ];
  const seen = async (more: readonly object[] = []) => {
    const tables = { transaction_imports: [...imported, ...more], transaction_changes: [...feed, ...more] };
    const sql = "select distinct link_id from imports_seen where seen_in_run is not null order by all";
    return (await rowsOver(tables as never, sql)).map(({ link_id }) => link_id);
  };
  expect(await seen()).toEqual(["fits", "fits by the institution's words"]);
  // A row that came back under its id: so would the others.
  expect(await seen([{ ...came("3", "by id"), status: "accepted" }])).toEqual(["by id"]);
});
