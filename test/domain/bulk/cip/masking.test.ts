import { describe, expect, test } from "vitest";
import { maskOf } from "../../../../src/domain/bulk/cip/masking.js";

const DATA = {
  address: "7 Elm Street Springfield",
  customer_name: "Ada",
  date_of_birth: "1980-03-04",
  tax_id: "912345678",
};
const mask = maskOf({ checked_data: DATA, ip_address: "192.0.2.77" });

test.each([
  [mask.taxId("912345678"), "•••5678"],
  [mask.taxId("912-34-5678"), "•••5678"],
  [mask.taxId("12345678"), "•••"],
  [mask.taxId(""), ""],
  [mask.birthDate("1980-03-04"), "1980-••-••"],
  [mask.birthDate("4 March 1980"), "•••"],
  [mask.address(DATA.address), "•••"],
  [mask.ipAddress("192.0.2.77"), "192.0.•.•"],
  [mask.ipAddress("2001:db8::1"), "•••"],
])("%s", (shown, expected) => {
  expect(shown).toBe(expected);
});

describe("texts that quote a value", () => {
  test.each([
    ...["912345678", "912-34-5678", "912 34 5678", "91-2345678", "1980-03-04", "03/04/1980", "3/4/1980"],
    ...["04.03.1980", "19800304", "7 Elm Street Springfield", "192.0.2.77"],
  ])("%s is hidden", (value) => {
    expect(mask.text(`seen: ${value}, twice: ${value}.`)).toBe("seen: •••, twice: •••.");
  });

  test("short values and other words stay", () => {
    const short = maskOf({ checked_data: { ...DATA, address: "CA", tax_id: null }, ip_address: "" });
    expect(short.text("CALIFORNIA, 1980")).toBe("CALIFORNIA, 1980");
  });
});
