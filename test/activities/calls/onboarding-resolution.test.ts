import { afterEach, expect, test } from "vitest";
import { findOnboarding } from "../../../src/activities/calls/onboarding-resolution.js";
import { type FaultServer, json, rejection, startFaultServer } from "../../helpers/api/fault-server.js";
import { eachTest } from "../../helpers/each-test.js";
import { openActivityBench } from "../../helpers/temporal/activity-bench.js";

const SENT_AT = Date.parse("2026-11-28T00:40:00Z");
const MADE = "2026-11-28T00:40:01Z";
const zone = process.env.TZ;

const bench = eachTest(openActivityBench);
let server: FaultServer;
afterEach(async () => {
  if (zone === undefined) delete process.env.TZ;
  else process.env.TZ = zone;
  await server.close();
});

type Listed = readonly object[] | number;

/** Looks for the onboarding of a lost request, of a user or business whose lists answer so. */
async function found(users: Listed, businesses: Listed) {
  server = await startFaultServer((request, response) => {
    const path = request.url ?? "";
    if (path.includes("/onboardings/ob_")) return json(response, { id: "ob_1", status: "pass" });
    const listed = path.startsWith("/users/") ? users : businesses;
    if (typeof listed === "number") json(response, {}, listed);
    else json(response, { data: listed, meta: {} });
  });
  const lost = { operation: "create_onboarding", sentAt: SENT_AT, clockAheadMs: 0 };
  const search = {
    ...{ playbook: "pb_1", fpId: "fp_1", lost, known: [], run: undefined },
  };
  const api = server.client();
  return bench.run(() => findOnboarding({ ...bench.deps, api }, search));
}

const item = (fields = {}) => ({
  ...{ id: "ob_1", playbook_key: "pb_1", status: "pass", timestamp: MADE, ...fields },
});

test.each([
  ["of a user", [item()], 404],
  ["of a business, for which the list of users is empty", [], [item()]],
  ["of a business, for which the list of users is not there", 404, [item()]],
  ["of a business, for which the list of users is refused", 400, [item()]],
  ["whose key has its version", [item({ playbook_key: "pb_1:v3" })], 404],
] as const)("an onboarding %s is found", async (_, users, businesses) => {
  expect(await found(users, businesses)).toMatchObject({ id: "ob_1" });
});

test.each([
  ["no list is there", 404, 404],
  ["a user has none, and is no business", [], 400],
  ["it is of another playbook", [item({ playbook_key: "pb_2" })], 404],
  ["it is older", [item({ timestamp: "2026-11-28T00:39:00Z" })], 404],
] as const)("none is found where %s", async (_, users, businesses) => {
  expect(await found(users, businesses)).toBeUndefined();
});

test.each([
  [400, 404],
  [404, 422],
])("lists that answer %d and %d say nothing", async (users, businesses) => {
  expect(await rejection(found(users, businesses))).toMatchObject({ name: "RejectedError" });
});

test.each([
  ["2026-11-28T00:40:01", true],
  ["2026-11-28T00:39:01.500", false],
])("a time without an offset, %s, is UTC in any zone of this machine", async (timestamp, isFound) => {
  process.env.TZ = "Asia/Tokyo";
  expect((await found([item({ timestamp })], 404)) !== undefined).toBe(isFound);
});
