import { expect, it } from "vitest";
import { standsFor } from "../../../src/domain/onboarding/outcome.js";

it.each([
  ["pass", "ob_1", true],
  ["error", "ob_1", true],
  ["failed", null, true],
  ["expired_no_response", "ob_1", true],
  ["cancelled", "ob_1", true],
  ["cancelled", null, false],
])("%s with onboarding %s stands for the row that comes again: %s", (status, onboardingId, stands) =>
  expect(standsFor({ status, onboarding_id: onboardingId })).toBe(stands),
);
