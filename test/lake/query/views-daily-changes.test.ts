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
