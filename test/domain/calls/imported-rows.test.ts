import { expect, test } from "vitest";
import { asImported, importedName, ownAccounts } from "../../../src/domain/calls/imported-rows.js";

const OWN = ownAccounts([
  { id: "acc_1", original_id: "mine" },
  { id: "acc_2", original_id: null },
  { id: "acc_3" },
]);

test.each([
  ["under its ids", { account_id: "acc_2", transaction_id: "t1" }, ["acc_2 t1"]],
  ["in an imported account", { account_id: "acc_1", transaction_id: "t1" }, ["acc_1 t1", "mine t1"]],
  [
    "under ids of the service",
    { account_id: "acc_1", transaction_id: "txn_1", original_id: "t1" },
    ["acc_1 txn_1", "acc_1 t1", "mine txn_1", "mine t1"],
  ],
  [
    "without the caller's id",
    { account_id: "acc_3", transaction_id: "txn_1", original_id: null },
    ["acc_3 txn_1"],
  ],
])("a row that comes back %s is known by account and id of either side", (_, row, expected) => {
  const names = asImported(row, OWN).map((one) => (JSON.parse(importedName(one)) as string[]).join(" "));
  expect([...new Set(names)]).toEqual(expected);
});
