import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  MAX_RETRY_AFTER_MS,
  parseHttpDate,
  parseRetryAfter,
} from "../../../../src/domain/service/pace/retry-after.js";

const NOW = Date.UTC(2026, 10, 21, 2, 15, 0);

describe("Retry-After is read in both forms, everything else is not there", () => {
  it.each<[string | undefined, number | undefined]>([
    ["0", 0],
    ["7", 7000],
    [" 7 ", 7000],
    ["1.5", 1500],
    ["900", 900_000],
    ["86401", MAX_RETRY_AFTER_MS],
    ["99999999999999999999999", MAX_RETRY_AFTER_MS],
    ["Sat, 21 Nov 2026 02:15:30 GMT", 30_000],
    ["Saturday, 21-Nov-26 02:15:30 GMT", 30_000],
    ["Sat Nov 21 02:15:30 2026", 30_000],
    ["Sat, 21 Nov 2026 02:14:00 GMT", 0],
    ["Sun, 06 Nov 1994 08:49:37 GMT", 0],
    ["Mon, 21 Nov 2033 02:15:30 GMT", MAX_RETRY_AFTER_MS],
    [undefined, undefined],
    ["", undefined],
    ["-5", undefined],
    ["+5", undefined],
    ["1e3", undefined],
    ["soon", undefined],
    ["2026-11-21T02:15:30Z", undefined],
    ["Sat, 31 Feb 2026 02:15:30 GMT", undefined],
    ["Sat, 21 Nov 2026 24:15:30 GMT", undefined],
    ["Sat, 21 Foo 2026 02:15:30 GMT", undefined],
    ["Sat, 21 Nov 2026 02:15:30 CET", undefined],
    ["7, 8", undefined],
  ])("%s → %s", (value, expected) => {
    expect(parseRetryAfter(value, NOW)).toBe(expected);
  });

  it("any text gives nothing or a wait between 0 and the cap", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.double().map(String)), (text) => {
        const wait = parseRetryAfter(text, NOW);
        return wait === undefined || (Number.isInteger(wait) && wait >= 0 && wait <= MAX_RETRY_AFTER_MS);
      }),
    );
  });

  it("reads every date that JavaScript writes as HTTP-date", () => {
    const seconds = fc.integer({ min: 0, max: 4_000_000_000 });
    fc.assert(fc.property(seconds, (s) => parseHttpDate(new Date(s * 1000).toUTCString(), NOW) === s * 1000));
  });

  it("a two-digit year more than 50 years ahead is in the past", () => {
    expect(parseHttpDate("Sunday, 06-Nov-94 08:49:37 GMT", NOW)).toBe(Date.UTC(1994, 10, 6, 8, 49, 37));
    expect(parseHttpDate("Sunday, 06-Nov-76 08:49:37 GMT", NOW)).toBe(Date.UTC(2076, 10, 6, 8, 49, 37));
  });
});
