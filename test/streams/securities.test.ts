import { expect, test } from "vitest";
import { eachTest } from "../helpers/each-test.js";
import { InvestmentNights } from "../helpers/sync/investment-nights.js";

const at = eachTest(() => InvestmentNights.open());

test("a security is never gone, and its changes are kept", async () => {
  const price = (close_price: unknown) =>
    at.bench.sandbox.investments.add("l", {
      securities: [{ security_id: "s", name: "Fund", close_price, close_date: "2026-11-20T16:00:00" }],
    });
  at.add("a", { security_id: "s" });
  price("12.5");
  await at.night();
  price(13);
  await at.night();
  at.bench.sandbox.investments.remove("l", ["a"]);
  at.add("b");
  await at.night();
  expect(
    await at.rows("select security_id, close_price, close_date, close_date_text from securities"),
  ).toEqual([
    {
      ...{ security_id: "s", close_price: "13.0000000000" },
      ...{ close_date: null, close_date_text: "2026-11-20T16:00:00" },
    },
  ]);
  expect(await at.rows("select change_type, close_price from security_changes order by observed_at")).toEqual(
    [
      { change_type: "created", close_price: "12.5000000000" },
      { change_type: "updated", close_price: "13.0000000000" },
    ],
  );
});
