import { expect, test } from "vitest";
import { failureAction, linkObstacle, skippedAction } from "../../../src/domain/sync/link-obstacle.js";

const CODES = [
  "system_error",
  "provider_error",
  "institution_error",
  "user_error",
  "auth_expired",
  "no_accounts",
  "user_setup_required",
  "invalid_credentials",
  "user_oauth_denied",
  "user_input_incorrect",
  "incomplete",
];

test("a connected link is read, whatever error code it carries", () => {
  expect(linkObstacle("connected", null)).toBeNull();
  expect(linkObstacle("connected", "auth_expired")).toBeNull();
});

test.for(CODES)("error %s is a reason with an action of its own", (code) => {
  const reason = linkObstacle("error", code);
  expect(reason).toBe(`state error ${code}`);
  expect(skippedAction(reason ?? "")).toEqual(expect.any(String));
  expect(skippedAction(reason ?? "")).not.toBe("check the link in the dashboard");
});

test.for([
  ["connecting", null, "state connecting"],
  ["awaiting_token_exchange", null, "state awaiting_token_exchange"],
  ["deleted", null, "state deleted"],
  ["error", null, "state error"],
  ["error", "brand_new", "state error brand_new"],
  ["archived", null, "state archived"],
] as const)("%s with code %s is skipped as %s", ([state, code, reason]) => {
  expect(linkObstacle(state, code)).toBe(reason);
  expect(skippedAction(reason)).toMatch(/./);
});

test("no page size is blamed where a link is refused to a good key", () => {
  expect(failureAction("refused http_403")).toContain("key");
  expect(failureAction("refused http_400")).toContain("page size");
});
