import { expect, test } from "vitest";
import { decideOffer } from "../../../../src/domain/onboarding/customer/continuation-offer.js";

const given = (token: string, hour: number) => ({
  token,
  link: "l",
  expires_at: `2026-11-22T${hour}:00:00Z`,
});
const FOUND = given("b", 12);

test.for([
  ["the first", { delivered: 0, kept: 0, last: undefined }, "next"],
  ["the same, kept and not delivered", { delivered: 0, kept: 1, last: FOUND }, "last"],
  ["another, where one was kept and not delivered", { delivered: 0, kept: 1, last: given("a", 11) }, "next"],
  ["the same, delivered", { delivered: 1, kept: 1, last: FOUND }, "none"],
  ["a fresher one than was delivered", { delivered: 1, kept: 1, last: given("a", 11) }, "next"],
  ["an older one than was delivered", { delivered: 1, kept: 1, last: given("a", 13) }, "none"],
  ["one after a delivered one that is gone", { delivered: 1, kept: 1, last: undefined }, "next"],
  ["the fifth", { delivered: 4, kept: 4, last: given("a", 11) }, "next"],
  ["the sixth", { delivered: 5, kept: 5, last: given("a", 11) }, "none"],
] as const)("%s", ([, known, expected]) => {
  expect(decideOffer(FOUND, known)).toBe(expected);
});
