import { expect, test } from "vitest";
import { rowsOver } from "../../helpers/query/lake-of-rows.js";

test("each change has the day on which it came and the values before it; one that comes back begins anew", async () => {
  const change = (sequence: number, day: number, change_type: string, values: object = {}) => ({
    ...{
      run_id: `run-${day}`,
      fp_id: "fp_1",
      link_id: "link_1",
      transaction_id: "t1",
      sequence,
      change_type,
    },
    ...{ generation: 1, inferred: false, fetched_at: `2026-11-0${day}T23:30:00Z`, ...values },
  });
  const pending = { account_id: "acc_1", signed_amount: "-5", date: "2026-11-01", pending: true };
  const transaction_changes = [
    change(1, 1, "created", pending),
    { ...change(2, 1, "created", { ...pending, signed_amount: "9" }), link_id: "link_2" },
    change(3, 2, "updated", { ...pending, signed_amount: "-6.5", pending: false }),
    change(4, 3, "removed"),
    change(5, 4, "created", pending),
  ];
  const sql = `select day, account_id, change_type, signed_amount, signed_amount_before, pending, pending_before
    from daily_changes order by link_id, sequence`;
  const row = (day: number, change_type: string, ...values: readonly (string | boolean | null)[]) => {
    const [signed_amount, signed_amount_before, is, was] = values;
    const amounts = { signed_amount, signed_amount_before, pending: is, pending_before: was };
    return { day: `2026-11-0${day}`, account_id: "acc_1", change_type, ...amounts };
  };
  expect(await rowsOver({ transaction_changes }, sql)).toEqual([
    row(1, "created", "-5.0000000000", null, true, null),
    row(2, "updated", "-6.5000000000", "-5.0000000000", false, true),
    row(3, "removed", null, "-6.5000000000", null, false),
    row(4, "created", "-5.0000000000", null, true, null),
    row(1, "created", "9.0000000000", null, true, null),
  ]);
});

const at = (day: number) => `2026-11-${String(day).padStart(2, "0")}T00:00:00Z`;
const link = (link_id: string, day: number, values: object = {}) => ({
  ...{ fp_id: "u", link_id, observed_at: at(day), created_at: at(day), state: "connected" },
  ...{ institution_id: "ins", institution_name: "Bank" },
  ...values,
});
const account = (link_id: string, values: object = {}) => ({
  ...{ fp_id: "u", link_id, account_id: `acc_${link_id}`, observed_at: at(1), name: "Checking", mask: "1" },
  ...values,
});
const payments = (link_id: string, ...days: number[]) =>
  days.map((day) => ({
    ...{ link_id, account_id: `acc_${link_id}`, transaction_id: `t${day}`, date: at(day).slice(0, 10) },
  }));

test("an account is under two links where user, bank, name and mask are equal and days overlap, also once one is gone", async () => {
  const bank_links = [
    ...[link("new", 9), link("old", 1), link("old", 20, { gone: true, created_at: at(1), state: null })],
    ...[link("later", 12), link("elsewhere", 9, { institution_id: "other" })],
    link("theirs", 9, { fp_id: "v" }),
  ];
  const accounts = [
    ...[account("old"), account("new"), account("new", { account_id: "acc_saving", name: "Saving" })],
    ...[account("later"), account("elsewhere"), account("theirs", { fp_id: "v" })],
  ];
  const transactions = [
    ...[...payments("old", 1, 5), ...payments("new", 3, 10), ...payments("later", 6)],
    ...[...payments("elsewhere", 4), ...payments("theirs", 4)],
  ];
  const found = await rowsOver({ bank_links, accounts, transactions }, "from links_of_one_bank order by all");
  const pair = { fp_id: "u", institution_name: "Bank", name: "Checking", mask: "1" };
  expect(found).toEqual([
    {
      ...{ ...pair, link_id: "new", account_id: "acc_new", state: "connected" },
      ...{ later_link_id: "later", later_account_id: "acc_later", later_state: "connected" },
      ...{ first_date: "2026-11-06", last_date: "2026-11-06" },
    },
    {
      ...{ ...pair, link_id: "old", account_id: "acc_old", state: "deleted" },
      ...{ later_link_id: "new", later_account_id: "acc_new", later_state: "connected" },
      ...{ first_date: "2026-11-03", last_date: "2026-11-05" },
    },
  ]);
});
