import { expect, test } from "vitest";
import { rowsOver } from "../../helpers/query/lake-of-rows.js";

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
