import fc from "fast-check";
import { expect, test } from "vitest";
import {
  decimalText,
  decimalUnits,
  withoutExponent,
} from "../../../src/domain/service/transaction-values.js";

test.each([
  ["1e-7", "0.0000001"],
  ["1.5E+3", "1500"],
  ["1.5E-2", "0.015"],
  ["-2.50e1", "-25"],
  ["-1e-10", "-0.0000000001"],
  ["12345678901234567.1234567891e0", "12345678901234567.1234567891"],
  ["1234567890123456789012345678000e-13", "123456789012345678.9012345678"],
  ["9.99999999999999999e17", "999999999999999999"],
  ["100000000000000000000e-10", "10000000000"],
  ["1.00000000000000e-10", "0.0000000001"],
  ["0.00000000001e1", "0.0000000001"],
  ["1e-18", "0.000000000000000001"],
  ["1.5e-10", "0.00000000015"],
  ["0E400", "0"],
  ["-0.0e-400", "-0"],
])("%s is written as %s", (number, plain) => expect(withoutExponent(number)).toBe(plain));

test.each(["1e-101", "1e18", "1E400", "-1e-400", "1e99999999999999999999", "12", "-0.50"])(
  "%s stays as it is",
  (number) => expect(withoutExponent(number)).toBe(number),
);

test("every amount is the same, however its exponent moves the point", () => {
  const amount = fc.bigInt({ min: -(10n ** 28n) + 1n, max: 10n ** 28n - 1n });
  fc.assert(
    fc.property(amount, fc.nat({ max: 30 }), (units, moved) => {
      const shifted = `${units}${"0".repeat(moved)}e-${moved + 10}`;
      expect(decimalUnits(withoutExponent(shifted))).toBe(units);
      expect(decimalUnits(withoutExponent(`${decimalText(units)}E+0`))).toBe(units);
    }),
  );
});
