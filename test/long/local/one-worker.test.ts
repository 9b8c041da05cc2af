import { expect, test } from "vitest";
import { CUSTOMERS, sentInPause, sharedHome } from "../../helpers/onboarding/shared-home.js";

const home = sharedHome();
const POST = { operation: "create_onboarding" };

test("the process that works is killed: the other one takes over, and every customer is posted once", async () => {
  const { sandbox } = home;
  const { receiver, onboard } = await home.startBoth();
  await sandbox.waitForRequests(10, POST);
  await receiver.end("SIGKILL");
  const { code, stdout, stderr } = await onboard.ended;
  expect(code, stderr).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ customers: { total: CUSTOMERS, pass: CUSTOMERS } });
  expect(sandbox.onboardings.list()).toHaveLength(CUSTOMERS);
});

test("a pause that one process was asked for is kept by the next", async () => {
  const { sandbox } = home;
  sandbox.addFault({ ...POST, nth: 3, kind: "status", status: 429, retryAfter: 6 });
  const killed = home.onboard();
  await sandbox.waitForRequests(3, POST);
  await expect.poll(() => sandbox.requests({ status: 429 })).toHaveLength(1);
  // Until it has the answer's head and has told the others.
  await expect.poll(() => sandbox.calls().in_flight).toBe(0);
  await killed.end("SIGKILL");
  const { code, stderr } = await home.onboard().ended;
  expect(code, stderr).toBe(0);
  expect(sentInPause(home, 6_000)).toEqual([]);
});
