import { expect, test } from "vitest";
import type { Caller } from "../../../src/jobs/job.js";
import { reconcileUser } from "../../../src/jobs/reconcile/user-reconciliation.js";
import type { LakeAccount } from "../../../src/lake/bulk/reconcile/lake-accounts.js";

interface Service {
  /** Of the user. */
  readonly total: number;
  /** By account. */
  readonly totals: Readonly<Record<string, number>>;
  readonly accounts?: readonly unknown[];
}

const known = (accountId: string, rows: number): LakeAccount => ({
  ...{ linkId: "l", accountId, obstacle: null, rows, sum: "0.0000000000", quarantined: 0 },
  balance: null as never,
});

/** Reconciles a user of whose rows only the totals are asked; gives each account's outcome. */
async function outcomes(accounts: readonly LakeAccount[], { total, totals, accounts: listed = [] }: Service) {
  const once = async (name: string, _: object, { query }: { query: { account_ids?: string[] } }) => {
    if (name === "accounts") return { body: { accounts: listed } };
    const [id, ...more] = query.account_ids ?? [];
    expect(more).toEqual([]);
    const body = { total: id === undefined ? total : totals[id] };
    expect(body.total).toBeDefined();
    return { body };
  };
  const caller = { options: {}, given: accounts, once } as unknown as Caller<object, readonly LakeAccount[]>;
  const result = await reconcileUser("fp_1", caller);
  return result.accounts.map(({ accountId, status, reason, lakeRows, serviceRows }) => {
    return [accountId, status, reason, lakeRows, serviceRows];
  });
}

test.each([["a,b"], [""], ["  "], ["\ud800"]])(
  "the id %j can't be asked for; it stops nothing",
  async (id) => {
    expect(await outcomes([known("a", 2), known(id, 3)], { total: 5, totals: { a: 2 } })).toEqual([
      ["a", "equal", null, 2, 2],
      [id, "unknown", "unusable_id", 3, null],
      [null, "unknown", "rows_of_no_account", 0, 3],
    ]);
    const accounts = [{ id, link_id: "l" }, { id, link_id: "l" }, { id: "b", link_id: " " }, { id: 1 }, null];
    expect(await outcomes([known("a", 2)], { total: 3, totals: { a: 2 }, accounts })).toEqual([
      ["a", "equal", null, 2, 2],
      [id, "unknown", "unusable_id", 0, null],
      [null, "unknown", "rows_of_no_account", 0, 1],
    ]);
  },
);

test("rows that go between the totals leave no negative count", async () => {
  expect(await outcomes([known("a", 2)], { total: 1, totals: { a: 2 } })).toEqual([
    ["a", "equal", null, 2, 2],
    [null, "unknown", "list_moved", null, null],
  ]);
});
