import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  businessExternalIdProblem,
  fpIdProblem,
  onboardingExternalIdProblem,
} from "../../../src/domain/service/external-id.js";

it("a business's external id has letters, digits, underscores, hyphens and periods, and nothing else", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[A-Za-z0-9_.-]*$/)), (text) => {
      const plain = text !== "" && [...text].every((letter) => /[A-Za-z0-9_.-]/.test(letter));
      expect(businessExternalIdProblem(text) === undefined).toBe(plain);
    }),
  );
});

describe("the external id of an onboarding", () => {
  it.each(["cust-1", "a@b.example", "+49:7", "é"])("%s is one", (text) =>
    expect(onboardingExternalIdProblem(text)).toBeUndefined(),
  );
  it.each(["", " ", "a b", "a\tb", "a\u0000", "\ud800", "a\u200b"])("%j is none", (text) =>
    expect(onboardingExternalIdProblem(text)).toBeDefined(),
  );
});

it.each([
  "\u00ad",
  "\u034f",
  "\u180e",
  "\u200b",
  "\u200d",
  "\u2060",
  "\u2800",
  "\u3164",
  "\ufe0f",
  "\ufeff",
  "\u{e0020}",
])("%j in an id is refused, and named: the id beside it looks alike", (sign) => {
  const name = sign.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0");
  const rule = expect.stringContaining(`an invisible character (U+${name})`);
  for (const text of [`pay-7${sign}`, `${sign}pay-7`, `pay${sign}-7`])
    for (const problemOf of [fpIdProblem, onboardingExternalIdProblem])
      expect(problemOf(text)).toEqual({ code: "invisible_character", rule });
});
