import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  businessExternalIdProblem,
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
  it.each(["", " ", "a b", "a\tb", "a\u0000", "\ud800"])("%j is none", (text) =>
    expect(onboardingExternalIdProblem(text)).toBeDefined(),
  );
});
