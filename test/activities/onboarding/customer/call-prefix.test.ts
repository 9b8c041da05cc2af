import { expect, test } from "vitest";
import { isSpent, onboardingPrefix } from "../../../../src/activities/onboarding/customer/call-prefix.js";
import { keptOutcome } from "../../../../src/lake/onboarding/frozen-batch.js";
import { eachTest } from "../../../helpers/each-test.js";
import { customer, outcomeOf } from "../../../helpers/onboarding/onboarding-batch.js";
import { openActivityBench } from "../../../helpers/temporal/activity-bench.js";

const BATCH = "onb_1";
const at = (name: string | number) => `_staging/onboarding-calls/key/${name}/`;

const bench = eachTest(openActivityBench);

const prefix = (attempt: number, before: string | null = null) =>
  onboardingPrefix(bench.deps, {
    ...{ batchId: BATCH, row: 0, line: 2, attempt, rowKey: "key", retry: attempt > 1, before },
  });
const keepAnswer = (name: string | number, id: string) =>
  bench.deps.sealed.put(`${at(name)}answer`, { operation: "createOnboarding", at: 0, body: { id } });
const tell = (attempt: number, onboardingId: string | null) =>
  keptOutcome(bench.deps.sealed, BATCH, outcomeOf(customer(2), { attempt, onboarding_id: onboardingId })).put(
    outcomeOf(customer(2), { attempt, onboarding_id: onboardingId }),
  );

test("a retry posts again where an outcome has the onboarding of the previous attempt", async () => {
  await keepAnswer("first", "ob_1");
  await tell(1, "ob_1");
  expect(await prefix(1)).toBe(at("first"));
  expect(await prefix(2, "ob_1")).toBe(at(2));
});

test("a retry resolves a request whose fate is unknown", async () => {
  await bench.deps.sealed.put(`${at("first")}intent-1`, { operation: "createOnboarding", at: 0 });
  await tell(1, null);
  expect(await prefix(2)).toBe(at("first"));
});

test("a retry takes the answer that no outcome told", async () => {
  await keepAnswer("first", "ob_1");
  await tell(1, null);
  expect(await prefix(2)).toBe(at("first"));
  await tell(2, null);
  expect(await prefix(3)).toBe(at("first"));
});

test("a retry after one that posted nothing does not give an old onboarding once more", async () => {
  await keepAnswer("first", "ob_1");
  await tell(1, "ob_1");
  await tell(2, null);
  expect(await prefix(3)).toBe(at(3));
  await keepAnswer(3, "ob_3");
  await tell(3, null);
  expect(await prefix(4)).toBe(at(3));
});

const spent = (attempt: number, before: string | null = null) =>
  isSpent(bench.deps, { batchId: BATCH, row: 0, line: 2, attempt, rowKey: "key", retry: true, before });

test("an external id that nothing was carried out under can be sent again, as often as it is", async () => {
  expect(await spent(2)).toBe(false);
  await tell(1, null);
  await tell(2, null);
  expect(await spent(3)).toBe(false);
});

test("an external id whose request is not resolved is sent once more, also after a retry that sent nothing", async () => {
  await bench.deps.sealed.put(`${at("first")}intent-1`, { operation: "createOnboarding", at: 0 });
  await tell(1, null);
  await tell(2, null);
  expect(await spent(3)).toBe(false);
  expect(await prefix(3)).toBe(at("first"));
  // The worker died once the retry had its answer: what it has begun it ends.
  await keepAnswer("first", "ob_1");
  expect(await spent(3)).toBe(false);
});

test("an external id that has given an onboarding is spent, also where the last attempt told of none", async () => {
  expect(await spent(2, "ob_1")).toBe(true);
  await keepAnswer("first", "ob_1");
  await tell(1, "ob_1");
  expect(await spent(2, "ob_1")).toBe(true);
  await tell(2, null);
  expect(await spent(3)).toBe(true);
});
