import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  hasLoneSurrogate,
  isAmount,
  isBlank,
  isRealDay,
} from "../../../src/domain/service/transaction-values.js";

describe("an amount is what DECIMAL(28,10) holds exactly", () => {
  it.each([
    "0",
    "-0",
    "0.10",
    "-1234567890.12",
    "500",
    "12.345",
    "999999999999999999.9999999999",
    "000000000000000001",
    "1.500000000000000000",
  ])("%s is accepted", (text) => expect(isAmount(text)).toBe(true));

  it.each([
    "",
    " 5",
    "5 ",
    "5\n",
    "+5",
    "1e3",
    "1_000",
    "1,000",
    ".5",
    "5.",
    "--5",
    "NaN",
    "Infinity",
    "0x10",
    "1234567890123456789",
    "0.12345678901",
    "١٢",
  ])("%j is refused", (text) => expect(isAmount(text)).toBe(false));

  it("every integer of 28 digits, ten of them after the point, is accepted, and one digit more that counts is not", () => {
    const limit = 10n ** 28n;
    fc.assert(
      fc.property(fc.bigInt({ min: -(limit - 1n), max: limit - 1n }), (units) => {
        const digits = (units < 0n ? -units : units).toString().padStart(11, "0");
        const text = `${units < 0n ? "-" : ""}${digits.slice(0, -10)}.${digits.slice(-10)}`;
        expect(isAmount(text)).toBe(true);
        expect(BigInt(text.replace(".", ""))).toBe(units);
        expect(isAmount(`${text}1`)).toBe(false);
      }),
    );
  });
});

describe("a day is one of the calendar", () => {
  it.each(["2026-11-21", "2024-02-29", "2000-02-29", "0001-01-01", "9999-12-31"])("%s is accepted", (text) =>
    expect(isRealDay(text)).toBe(true),
  );
  it.each([
    "2026-02-29",
    "1900-02-29",
    "2026-04-31",
    "2026-00-01",
    "2026-13-01",
    "2026-01-00",
    "2026-1-1",
    "0000-01-01",
    "2026-11-21T00:00:00Z",
    " 2026-11-21",
    "20261121",
    "",
  ])("%j is refused", (text) => expect(isRealDay(text)).toBe(false));

  it("agrees with the calendar of Date", () => {
    const part = (max: number) => fc.integer({ min: 0, max });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9999 }), part(14), part(33), (year, month, day) => {
        const text = `${String(year).padStart(4, "0")}-${String(month).padStart(2, "0")}-${String(day).padStart(2, "0")}`;
        const date = new Date(`${text}T00:00:00Z`);
        expect(isRealDay(text)).toBe(!Number.isNaN(date.getTime()) && date.toISOString().startsWith(text));
      }),
    );
  });
});

describe("a key is text that says something and that UTF-8 can hold", () => {
  it.each(["a", " a ", "😀", "ключ"])("%j is accepted", (text) =>
    expect(isBlank(text) || hasLoneSurrogate(text)).toBe(false),
  );
  it.each(["", " ", "\t\n", "\u00a0", "a\ud800", "\udc00b"])("%j is refused", (text) =>
    expect(isBlank(text) || hasLoneSurrogate(text)).toBe(true),
  );
  it("finds a lone surrogate exactly where UTF-8 can't hold the text", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.integer({ min: 0xd000, max: 0xe100 }).map((c) => String.fromCharCode(c)) }),
        (text) => hasLoneSurrogate(text) === (Buffer.from(text, "utf8").toString("utf8") !== text),
      ),
    );
  });
});
