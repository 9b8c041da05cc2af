import { expect, test } from "vitest";
import { sentInPause, sharedHome } from "../../helpers/onboarding/shared-home.js";

const home = sharedHome();

test("a receiver and a command of one HOME obey one Retry-After, and one number of calls in flight", async () => {
  const { sandbox } = home;
  sandbox.addFault({ operation: "create_onboarding", nth: 12, kind: "status", status: 429, retryAfter: 3 });
  const { onboard } = await home.startBoth();
  const { code, stderr } = await onboard.ended;
  expect(code, stderr).toBe(0);
  expect(sentInPause(home, 3_000)).toEqual([]);
  expect(sandbox.calls().max_in_flight).toBeLessThanOrEqual(3);
});
