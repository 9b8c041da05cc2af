import { expect, test } from "vitest";
import { checkBalance, type ObservedBalance } from "../../../../src/domain/bulk/reconcile/balance.js";

const seen = (current: string | null, changed: Partial<ObservedBalance> = {}): ObservedBalance => ({
  ...{ observedAt: "2026-11-21T02:00:00Z", current, currency: "USD", gone: false, linkRead: true },
  ...changed,
});
const posted = (sum: string, otherCurrency = false) => ({ sum, otherCurrency });
const EUR = { currency: "EUR" };

test.each([
  ["nothing observed", [], undefined, "not_observed"],
  ["one observation", [seen("1")], undefined, "one_observation"],
  ["an account that is gone", [seen("1", { gone: true }), seen("1")], undefined, "account_gone"],
  ["one that was gone", [seen("1"), seen("1", { gone: true })], undefined, "account_gone_between"],
  ["no balance", [seen(null), seen("1")], undefined, "no_balance"],
  ["another currency", [seen("1", EUR), seen("2")], undefined, "currency_changed"],
  ["a run without the link", [seen("1", { linkRead: false }), seen("2")], undefined, "link_not_read"],
  ["rows of another currency", [seen("1"), seen("2")], posted("-1", true), "other_currency"],
] as const)("%s says nothing", (_, observed, change, reason) => {
  expect(checkBalance(observed, change, 0)).toMatchObject({ status: "unknown", reason, difference: null });
});

test.each([
  ["12.34", "10.00", posted("2.3400000000"), "equal", "0.0000000000"],
  ["10", "10.0000000001", posted("-0.0000000001"), "equal", "0.0000000000"],
  ["10", "10", undefined, "equal", "0.0000000000"],
  ["10.01", "10", undefined, "differs", "0.0100000000"],
  ["999999999999999999", "-999999999999999999", posted("1999999999999999998"), "equal", "0.0000000000"],
] as const)("%s after %s with %j posted is %s", (last, before, change, status, difference) => {
  const check = checkBalance([seen(last), seen(before)], change, 0);
  expect(check).toMatchObject({ status, reason: null, difference });
});

test("bad rows of the link may explain a difference", () => {
  expect(checkBalance([seen("2"), seen("1")], undefined, 3)).toMatchObject({
    status: "differs",
    reason: "quarantined 3",
  });
});
