import { expect, test } from "vitest";
import {
  ONBOARDING_ERRORS,
  onboardingErrorClass,
} from "../../../../src/domain/onboarding/customer/error-class.js";

const { config, data, transient } = ONBOARDING_ERRORS;

test.for([
  ["a branch is missing", config],
  ["no such playbook: pb_kyc", config],
  ["Playbook version 7 was not found", config],
  ["unknown key in prerequisite node", config],
  ["document verification is not enabled", config],
  ["the vendor is not configured", config],
  ["misconfigured rule: address check", config],
  ["vendor timed out", transient],
  ["Timeout while running the playbook", transient],
  ["time-out of the address check", transient],
  ["the service is temporarily unavailable", transient],
  ["Internal error", transient],
  ["upstream answered 502", transient],
  ["could not verify the phone number, please try again", transient],
  ["too many requests", transient],
  ["id.dob: vendor unavailable", transient],
  ["the playbook needs id.ssn9", data],
  ["business.tin does not match", data],
  ["date of birth is in the future", data],
  ["the address can't be read", data],
  ["no such person: [value]", data],
  ["ID document has expired", data],
  ["required: e-mail", data],
  ["something went wrong", transient],
  ["[value]", transient],
  ["monkeys", transient],
  ["", transient],
  [null, transient],
] as const)("%s: %s", ([message, expected]) => {
  expect(onboardingErrorClass(message)).toBe(expected);
});
