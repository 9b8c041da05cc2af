import { afterEach, expect, test } from "vitest";
import { findOnboarding, observeLists } from "../../../src/activities/calls/onboarding-resolution.js";
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
  const lost = { operation: "create_onboarding", at: SENT_AT, clockAheadMs: 0 };
  const deps = { ...bench.deps, api: server.client() };
  return bench.run(() => findOnboarding(deps, { body: { key: "pb_1", fp_id: "fp_1" } }, lost));
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
  expect(await found(users, businesses)).toMatchObject({ effect: { id: "ob_1" } });
});

test.each([
  ["no list is there", 404, 404],
  ["a user has none, and is no business", [], 400],
  ["it is of another playbook", [item({ playbook_key: "pb_2" })], 404],
  ["it is older", [item({ timestamp: "2026-11-28T00:39:00Z" })], 404],
] as const)("none is found where %s", async (_, users, businesses) => {
  expect(await found(users, businesses)).toEqual({ unsureForMs: 3_600_000 });
});

test("none is missing only once a list has shown an onboarding that had not ended", async () => {
  const other = { id: "ob_2", playbook_key: "pb_2" };
  expect(await found([item(other)], 404)).toHaveProperty("unsureForMs");
  await server.close();
  expect(await found([item({ ...other, status: "incomplete" })], 404)).toMatchObject({ missing: {} });
  await server.close();
  expect(await found([], 404)).toMatchObject({ missing: {} });
});

/** What a lost onboarding is, after one that had just begun was looked for in such a list. */
async function afterLook(users: Listed, status = "pending") {
  await found([], 404).catch(() => undefined);
  await server.close();
  server = await startFaultServer((request, response) => {
    const isUsers = request.url?.startsWith("/users/");
    if (typeof users === "number" || !isUsers) json(response, {}, typeof users === "number" ? users : 404);
    else json(response, { data: users, meta: {} });
  });
  const begun = { id: "ob_9", status, output: null, error_message: null, requires_manual_review: false };
  const deps = { ...bench.deps, api: server.client() };
  await bench.run(() => observeLists(deps, "fp_9", begun));
  const looks = server.requests.length;
  await server.close();
  return { isKnown: "missing" in (await found([], 404)), looks };
}

test.each([
  ["shows it as it is", [item({ id: "ob_9", status: "pending" })], { isKnown: true, looks: 1 }],
  ["does not show it", [item()], { isKnown: false, looks: 1 }],
  ["shows it once it has ended", [item({ id: "ob_9" })], { isKnown: false, looks: 1 }],
  ["is refused", 403, { isKnown: false, looks: 1 }],
] as const)(
  "an onboarding that has just begun tells what lists show, where its list %s",
  async (_, list, expected) => {
    expect(await afterLook(list)).toEqual(expected);
  },
);

test("an onboarding that was decided at once is looked for in no list", async () => {
  expect(await afterLook([], "pass")).toEqual({ isKnown: false, looks: 0 });
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
  expect("effect" in (await found([item({ timestamp })], 404))).toBe(isFound);
});
