import { afterEach, beforeEach, expect, test } from "vitest";
import { type Sandbox, type SandboxOptions, startSandbox } from "../../sandbox/index.js";
import { call } from "../helpers/stand-in/caller.js";

const NOW = "2026-11-20T08:00:00.000Z";
let sandbox: Sandbox;

async function start(options: SandboxOptions = {}): Promise<void> {
  await sandbox?.close();
  const clock = { now: NOW, frozen: true };
  sandbox = await startSandbox({
    clock,
    playbooks: [
      { key: "p", versions: 3 },
      { key: "slow", delayMs: 5_000 },
      { key: "b", kind: "kyb" },
    ],
    ...options,
  });
  sandbox.addUser({ fp_id: "u", external_id: "customer-u" });
  sandbox.addUser({ fp_id: "v" });
  sandbox.businesses.add({ fp_bid: "fp_bid_1", external_id: "acme" });
}
beforeEach(() => start());
afterEach(() => sandbox.close());

const run = (body: object) => call(sandbox, "POST", "/onboardings", { body });
const runNow = (body: object) => run({ key: "p", fp_id: "u", synchronous_timeout_secs: 30, ...body });
const read = async (id: string) => (await call(sandbox, "GET", `/onboardings/${id}`)).body;

test.each([
  ["an unknown playbook", { key: "none", fp_id: "u" }],
  ["a version that is not there", { key: "p:v4", fp_id: "u" }],
  ["a playbook for businesses on a user", { key: "b", fp_id: "u" }],
  ["a playbook for users on a business", { key: "p", fp_id: "fp_bid_1" }],
])("%s is refused, and nothing begins", async (_rule, body) => {
  expect((await run(body)).status).toBe(400);
  expect(sandbox.onboardings.list()).toEqual([]);
});

test("with a time-out the decision comes inline; the version asked for is the one that runs", async () => {
  const { body } = await runNow({ key: "p:v2" });
  expect(body).toEqual({ id: expect.any(String), status: "pass", requires_manual_review: false });
  expect(sandbox.onboardings.find(body.id)).toMatchObject({ playbook_key: "p", playbook_version: 2 });
  await runNow({ key: "p" });
  expect(sandbox.onboardings.of("u").at(-1)?.playbook_version).toBe(3);
});

test("without a time-out the call returns when it is queued; the result comes later", async () => {
  const { id, status } = (await run({ key: "slow", fp_id: "u" })).body;
  expect(status).toBe("pending");
  sandbox.clock.advance(4_999);
  expect((await read(id)).status).toBe("pending");
  sandbox.clock.advance(1);
  expect((await read(id)).status).toBe("pass");
});

test("at the time-out execution continues in the background", async () => {
  const pending = run({ key: "slow", fp_id: "u", synchronous_timeout_secs: 2 });
  await expect.poll(() => sandbox.onboardings.list().length).toBe(1);
  sandbox.clock.advance(2_000);
  const { id, status } = (await pending).body;
  expect(status).toBe("pending");
  sandbox.clock.advance(3_000);
  expect(await read(id)).toMatchObject({ status: "pass" });
});

test("the same external_id and playbook give the same onboarding, of whatever version; fp_id begins a new one", async () => {
  const once = async (body: object) => (await run(body)).body.id;
  const first = await once({ key: "p", external_id: "customer-u" });
  expect(await once({ key: "p", external_id: "customer-u" })).toBe(first);
  expect(await once({ key: "p:v1", external_id: "customer-u" })).toBe(first);
  expect(await once({ key: "slow", external_id: "customer-u" })).not.toBe(first);
  expect(await once({ key: "p", fp_id: "u" })).not.toBe(first);
  expect(await once({ key: "b", external_id: "acme" })).toMatch(/^ob_/);
  expect(sandbox.onboardings.of("u")).toHaveLength(3);
});

test("incomplete: token, link and time; a token that has expired is left out, asked again there is another", async () => {
  await start({ playbooks: [{ key: "p", outcomes: { incomplete: 1 }, continuationMs: 60_000 }] });
  const body = { fp_id: undefined, external_id: "customer-u" };
  const first = (await runNow(body)).body;
  const { token, link, expires_at } = first.continue_onboarding;
  expect(link).toContain(token);
  expect(expires_at).toBe("2026-11-20T08:01:00.000Z");
  sandbox.clock.advance(60_000);
  expect(await read(first.id)).not.toHaveProperty("continue_onboarding");
  const again = (await runNow(body)).body;
  expect(again.id).toBe(first.id);
  expect(again.continue_onboarding.token).not.toBe(token);
  sandbox.onboardings.finish(first.id);
  expect(await read(first.id)).toEqual({ id: first.id, status: "pass", requires_manual_review: false });
});

test("output: absent until its node is reached, filled from the prerequisite data that were kept", async () => {
  const output = { limit: "{{data.limit}}", note: "from {{data.source}}", fixed: true };
  const prerequisites = { limit: "integer", source: "string" } as const;
  await start({ playbooks: [{ key: "p", output, outputDelayMs: 1_000, prerequisites }] });
  const prerequisite_data = { limit: 5, source: "file", unknown: "discarded" };
  const { body } = await runNow({ prerequisite_data });
  expect(body).not.toHaveProperty("output");
  expect(sandbox.onboardings.find(body.id)?.data).toEqual({ limit: 5, source: "file" });
  sandbox.clock.advance(1_000);
  expect((await read(body.id)).output).toEqual({ limit: 5, note: "from file", fixed: true });
  expect((await runNow({ prerequisite_data: { limit: "5" } })).status).toBe(400);
});

test("pending gets its decision by itself, unless a reviewer was faster", async () => {
  const settles = { status: "pass", afterMs: 60_000 } as const;
  await start({ playbooks: [{ key: "p", outcomes: { pending: 1 }, settles, manualReviewShare: 1 }] });
  const [one, two] = [(await runNow({})).body, (await runNow({ fp_id: "v" })).body];
  expect(one).toMatchObject({ status: "pending", requires_manual_review: true });
  sandbox.onboardings.review(two.id, "fail", "rita@example.com");
  sandbox.clock.advance(60_000);
  expect((await read(one.id)).status).toBe("pass");
  expect(await read(two.id)).toMatchObject({ status: "fail", requires_manual_review: false });
});

test("lists: the newest first, page by page until next_page is null", async () => {
  for (let i = 0; i < 5; i++) await runNow({ key: `p:v${1 + (i % 3)}` });
  const page = async (query: string) => (await call(sandbox, "GET", `/users/u/onboardings${query}`)).body;
  const first = await page("?page_size=2");
  expect(first.meta).toEqual({ next_page: 2 });
  expect(first.data[0]).toEqual({
    id: sandbox.onboardings.of("u").at(-1)?.id,
    playbook_key: "p",
    status: "pass",
    timestamp: NOW,
  });
  const rest = [await page("?page_size=2&page=2"), await page("?page_size=2&page=3")];
  expect(rest.map(({ data, meta }) => [data.length, meta.next_page])).toEqual([
    [2, 3],
    [1, null],
  ]);
  const ids = [first, ...rest].flatMap(({ data }) => data.map(({ id }: { id: string }) => id));
  expect(new Set(ids).size).toBe(5);
});

test("lists: next_page can be made to lead nowhere, the first page to be number 0, and rows to move under a reader", async () => {
  await start({ onboardingPages: { size: 1, maximum: 5, first: 0 } });
  await runNow({});
  await runNow({});
  const page = async (query: string) => (await call(sandbox, "GET", `/users/u/onboardings${query}`)).body;
  expect((await page("")).meta.next_page).toBe(1);
  expect((await page("?page=0")).meta.next_page).toBe(1);
  sandbox.addFault({ kind: "next_page_loop", page: 1 });
  expect((await page("?page=1")).meta.next_page).toBe(1);
  const ids = async (number: number) =>
    (await page(`?page=${number}`)).data.map(({ id }: { id: string }) => id);
  const [newest] = await ids(0);
  sandbox.addFault({ kind: "list_moves", times: 1 });
  expect(await ids(1)).toEqual([newest]);
});

test("outcomes keep their shares, and are the same for the same seed in whatever order users come", async () => {
  const outcomes = { pass: 60, fail: 30, incomplete: 10 };
  const ids = Array.from({ length: 400 }, (_, index) => `user-${index}`);
  const results = async (order: readonly string[], seed: number) => {
    await start({ seed, playbooks: [{ key: "p", outcomes, manualReviewShare: 0.2 }] });
    for (const fp_id of ids) sandbox.addUser({ fp_id });
    for (const fp_id of order) await runNow({ fp_id });
    return ids.map((id) => sandbox.onboardings.of(id)[0]!).map((one) => `${one.id} ${one.status}`);
  };
  const first = await results(ids, 7);
  expect(first.filter((text) => text.endsWith("pass")).length / 400).toBeCloseTo(0.6, 1);
  expect(first.filter((text) => text.endsWith("fail")).length / 400).toBeCloseTo(0.3, 1);
  expect(await results(ids.toReversed(), 7)).toEqual(first);
  expect(await results(ids, 8)).not.toEqual(first);
});

test("a session's validation token stands for what was finished, and is refused unknown or expired", async () => {
  const user = (await runNow({ fp_id: undefined, external_id: "customer-u" })).body;
  const business = (await runNow({ key: "b", fp_id: "fp_bid_1" })).body;
  const validation_token = sandbox.sessions.end({
    onboardings: [user.id, business.id],
    bank_link: { id: "l" },
    user_auth: { fp_id: "u", auth_events: [{ kind: "sms", timestamp: NOW }] },
    ttlMs: 1_000,
  });
  const validate = (body: object) => call(sandbox, "POST", "/onboarding/session/validate", { body });
  expect((await validate({ validation_token })).body).toEqual({
    user: {
      fp_id: "u",
      external_id: "customer-u",
      onboarding_id: user.id,
      playbook_key: "p",
      requires_manual_review: false,
      status: "pass",
    },
    business: expect.objectContaining({ fp_id: "fp_bid_1", onboarding_id: business.id }),
    bank_link: { id: "l" },
    user_auth: { fp_id: "u", auth_events: [{ kind: "sms", timestamp: NOW }] },
  });
  expect((await validate({ validation_token: "vtok_none" })).status).toBe(400);
  expect((await validate({})).status).toBe(400);
  sandbox.clock.advance(1_000);
  expect((await validate({ validation_token })).status).toBe(400);
});

test.each([
  ["a key with a colon", { key: "a:v1" }, /a key is a text without colon/],
  [
    "an unknown outcome",
    { key: "a", outcomes: { passed: 1 } as object },
    /no outcome passed; accepted are pass/,
  ],
])("a playbook with %s can't be declared", (_rule, playbook, message) => {
  expect(() => sandbox.playbooks.declare(playbook)).toThrow(message);
});
