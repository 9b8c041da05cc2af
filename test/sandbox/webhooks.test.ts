import { createHmac } from "node:crypto";
import { afterEach, beforeEach, expect, test } from "vitest";
import { behavioursOf, type Sandbox, type SandboxOptions, startSandbox } from "../../sandbox/index.js";
import { EVENT_KINDS } from "../../src/domain/service/event-kind.js";
import { eachTest } from "../helpers/each-test.js";
import { call } from "../helpers/stand-in/caller.js";
import { type Received, startReceiver } from "../helpers/webhooks/receiver.js";

const SECRET = `whsec_${Buffer.from("a secret of 24 bytes....").toString("base64")}`;
const COMPLETED = {
  event_kind: "service.onboarding.completed",
  fp_id: "u",
  timestamp: "2026-11-20T08:00:00Z",
  status: "pass",
  playbook_key: "p",
  playbook_version: 1,
  requires_manual_review: false,
  is_live: false,
  onboarding_id: "ob_1",
  external_id: null,
  onboarding_external_id: null,
};

let sandbox: Sandbox;
const receiver = eachTest(startReceiver);
async function start(options: SandboxOptions = {}): Promise<void> {
  await sandbox?.close();
  const webhooks = {
    endpoints: [{ url: `${receiver.url}/hooks`, secrets: [SECRET] }],
    retryMs: [1_000, 5_000],
  };
  const clock = { now: "2026-11-20T08:00:00Z", frozen: true };
  sandbox = await startSandbox({ clock, webhooks, playbooks: [{ key: "p" }], ...options });
  sandbox.addUser({ fp_id: "u" });
  sandbox.addUser({ fp_id: "v" });
}
beforeEach(async () => {
  await start();
});
afterEach(async () => {
  await sandbox.close();
});

/** Checks a webhook as Standard Webhooks say, written apart from the stand-in's own signature. */
function isSigned({ headers, body }: Received, secret = SECRET): boolean {
  const key = Buffer.from(secret.replace("whsec_", ""), "base64");
  const content = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`;
  const expected = `v1,${createHmac("sha256", key).update(content).digest("base64")}`;
  return String(headers["webhook-signature"]).split(" ").includes(expected);
}

const kindOf = ({ body }: Received) => JSON.parse(String(body)).event_kind;
const idOf = ({ headers }: Received) => headers["webhook-id"];
const emit = (n: number) => sandbox.webhooks.emit({ event_kind: "service.vault.updated", fp_id: "u", n });
const numbers = () => receiver.received.map(({ body }) => JSON.parse(String(body)).n);

test("what happens in the world is told: onboardings, reviews, vaults, links", async () => {
  sandbox.playbooks.script({ entity: "v", outcomes: [{ status: "incomplete" }] });
  const run = (fp_id: string) =>
    call(sandbox, "POST", "/onboardings", { body: { key: "p", fp_id, synchronous_timeout_secs: 1 } });
  const { body } = await run("u");
  sandbox.onboardings.finish((await run("v")).body.id, "fail");
  sandbox.onboardings.review(body.id, "fail");
  sandbox.vaults.write("u", { "custom.a": 1 });
  sandbox.addLink({ fp_id: "u", id: "l" });
  sandbox.setLink("l", { state: "error", error_code: "auth_expired" });
  await sandbox.webhooks.settled();
  expect(receiver.received.map((one) => kindOf(one).slice(8))).toEqual([
    "onboarding.completed",
    "onboarding.incomplete",
    "onboarding.completed",
    "user.manual_review",
    "vault.updated",
    "user.bank_link_updated",
  ]);
  expect(JSON.parse(String(receiver.received[0]?.body))).toEqual({
    ...COMPLETED,
    timestamp: "2026-11-20T08:00:00.000Z",
    onboarding_id: body.id,
  });
});

test("an endpoint that does not answer 2xx is tried again, under the same id, until the last time", async () => {
  receiver.answer = () => ({ status: receiver.received.length < 3 ? 500 : 200 });
  emit(1);
  await sandbox.webhooks.settled();
  sandbox.clock.advance(999);
  expect(receiver.received).toHaveLength(1);
  sandbox.clock.advance(1);
  await sandbox.webhooks.settled();
  sandbox.clock.advance(5_000);
  await sandbox.webhooks.settled();
  expect(new Set(receiver.received.map(idOf)).size).toBe(1);
  expect(sandbox.webhooks.messages()[0]?.attempts.map(({ result }) => result)).toEqual([500, 500, 200]);
  receiver.answer = () => ({ status: 302 });
  emit(2);
  for (const wait of [0, 1_000, 5_000, 60_000]) {
    sandbox.clock.advance(wait);
    await sandbox.webhooks.settled();
  }
  expect(sandbox.webhooks.messages({ state: "failed" })[0]?.attempts).toHaveLength(3);
});

test("lost: never sent; repeated: sent again under its id; late: sent when its time has come", async () => {
  sandbox.addFault({ kind: "webhook_lost", times: 1 });
  sandbox.addFault({ kind: "webhook_late", ms: 60_000, nth: 2 });
  sandbox.addFault({ kind: "webhook_repeated", copies: 2, times: 1 });
  for (const n of [1, 2, 3, 4]) emit(n);
  await sandbox.webhooks.settled();
  expect(numbers()).toEqual([2, 2, 2, 4]);
  expect(new Set(receiver.received.map(idOf)).size).toBe(2);
  sandbox.clock.advance(60_000);
  await sandbox.webhooks.settled();
  expect(numbers()).toEqual([2, 2, 2, 4, 3]);
  expect(sandbox.webhooks.messages({ state: "lost" }).map(({ payload }) => payload.n)).toEqual([1]);
});

test("out of order: one is overtaken by the next; what was held back goes out in any order", async () => {
  sandbox.addFault({ kind: "webhook_reordered", times: 1 });
  emit(1);
  emit(2);
  sandbox.webhooks.hold();
  const dropped = [3, 4, 5, 6].map(emit)[1]!;
  await sandbox.webhooks.settled();
  expect(numbers()).toEqual([2, 1]);
  sandbox.webhooks.release({ order: "reverse", drop: [dropped] });
  await sandbox.webhooks.settled();
  expect(numbers()).toEqual([2, 1, 6, 5, 3]);
  sandbox.webhooks.resend(dropped);
  await sandbox.webhooks.settled();
  expect(numbers().at(-1)).toBe(4);
});

test("forged, stale and of the wrong mode: each by its fault, and the retry of a refused one is good", async () => {
  receiver.answer = (one) => ({ status: isSigned(one) ? 200 : 401 });
  sandbox.addFault({ kind: "webhook_bad_signature", times: 1 });
  emit(1);
  await sandbox.webhooks.settled();
  sandbox.clock.advance(1_000);
  await sandbox.webhooks.settled();
  expect(receiver.received.map((one) => isSigned(one))).toEqual([false, true]);
  sandbox.addFault({ kind: "webhook_stale", seconds: 900, times: 1 });
  sandbox.addFault({ kind: "webhook_wrong_mode", user: "u", nth: 2 });
  emit(2);
  emit(3);
  await sandbox.webhooks.settled();
  const [stale, live] = receiver.received.slice(2);
  expect(Date.now() / 1000 - Number(stale?.headers["webhook-timestamp"])).toBeGreaterThan(895);
  expect(isSigned(stale!)).toBe(true);
  expect(JSON.parse(String(live?.body))).toMatchObject({ n: 3, is_live: true });
});

test("faults select webhooks by their kind and user", async () => {
  sandbox.addFault({ kind: "webhook_lost", operation: "service.vault.updated", user: "u" });
  sandbox.webhooks.emit({ event_kind: "service.vault.updated", fp_id: "v" });
  sandbox.webhooks.emit({ event_kind: "service.user.manual_review", fp_id: "u" });
  emit(1);
  await sandbox.webhooks.settled();
  expect(receiver.received.map(kindOf)).toEqual(["service.vault.updated", "service.user.manual_review"]);
});

test("while a secret is rotated each one signs; an endpoint gets only the kinds it asked for", async () => {
  const next = `whsec_${Buffer.from("another secret").toString("base64")}`;
  sandbox.webhooks.setSecrets("ep_1", [SECRET, next]);
  sandbox.webhooks.register({ url: `${receiver.url}/reviews`, events: ["service.user.manual_review"] });
  emit(1);
  await sandbox.webhooks.settled();
  expect(receiver.received.map(({ path }) => path)).toEqual(["/hooks"]);
  expect([isSigned(receiver.received[0]!), isSigned(receiver.received[0]!, next)]).toEqual([true, true]);
  sandbox.webhooks.unregister("ep_1");
  sandbox.webhooks.emit({ event_kind: "service.user.manual_review", fp_id: "u" });
  await sandbox.webhooks.settled();
  expect(receiver.received.map(({ path }) => path)).toEqual(["/hooks", "/reviews"]);
});

test("an endpoint gets one webhook at a time; one that asks for two gets the second before it answered", async () => {
  let inside = 0;
  let most = 0;
  receiver.answer = async () => {
    most = Math.max(most, ++inside);
    await new Promise(setImmediate);
    inside -= 1;
    return {};
  };
  for (let number = 1; number <= 5; number += 1) emit(number);
  await sandbox.webhooks.settled();
  expect([receiver.received.length, most]).toEqual([5, 1]);
  sandbox.webhooks.unregister("ep_1");
  sandbox.webhooks.register({ url: `${receiver.url}/hooks`, secrets: [SECRET], atOnce: 2 });
  let both: (reply: object) => void = () => {};
  const second = new Promise<object>((resolve) => {
    both = resolve;
  });
  receiver.answer = () => {
    if (receiver.received.length === 7) both({});
    return second;
  };
  emit(6);
  emit(7);
  await sandbox.webhooks.settled();
  expect(receiver.received.map(idOf)).toHaveLength(7);
});

const testHook = (body: object) => call(sandbox, "POST", "/webhooks/test", { body });

test("a test webhook is sent; the same idempotency key sends it again under the same id", async () => {
  for (const idempotency_key of ["k", "k", "other"]) {
    expect((await testHook({ idempotency_key, payload: COMPLETED })).text).toBe("{}");
  }
  for (const event_kind of EVENT_KINDS) {
    if (event_kind !== COMPLETED.event_kind) await testHook({ payload: { event_kind, any: 1 } });
  }
  await sandbox.webhooks.settled();
  const ids = receiver.received.map(idOf);
  expect(ids[0]).toBe(ids[1]);
  expect(new Set(ids).size).toBe(ids.length - 1);
  expect(JSON.parse(String(receiver.received[0]?.body))).toEqual(COMPLETED);
});

test.each([
  ["an unknown field", { payload: COMPLETED, key: "k" }],
  ["an unknown field of a completed onboarding", { payload: { ...COMPLETED, extra: 1 } }],
  ["a missing external_id", { payload: { ...COMPLETED, external_id: undefined } }],
  ["a time that is none", { payload: { ...COMPLETED, timestamp: "yesterday" } }],
])("a test webhook with %s is refused, and nothing is sent", async (_rule, body) => {
  expect((await testHook(body)).status).toBe(400);
  expect(sandbox.webhooks.messages()).toEqual([]);
});

test("endpoints on other machines, and secrets of another form, can't be registered", () => {
  expect(() => sandbox.webhooks.register({ url: "https://example.com" })).toThrow(/127\.0\.0\.1/);
  const secrets = ["planted secret"];
  expect(() => sandbox.webhooks.register({ url: receiver.url, secrets })).toThrow(/whsec_<base64>/);
  expect(() => sandbox.webhooks.register({ url: receiver.url, secrets })).not.toThrow(/planted/);
  expect(() => sandbox.webhooks.register({ url: receiver.url, atOnce: 0 })).toThrow(/integer from 1/);
});

test("a service that behaves otherwise signs under svix-, has its own prefix, nine decimals, and no offset of a link", async () => {
  await start({ behaves: behavioursOf("svix-headers,other-prefix") });
  sandbox.webhooks.emit({ ...COMPLETED, timestamp: "2026-11-20T08:00:00.5Z" });
  sandbox.webhooks.emit({ ...COMPLETED, event_kind: "service.user.bank_link_updated" });
  await sandbox.webhooks.settled();
  expect(receiver.received.map(({ body }) => JSON.parse(String(body)))).toMatchObject([
    { event_kind: "acme.onboarding.completed", timestamp: "2026-11-20T08:00:00.500000000Z" },
    { event_kind: "acme.user.bank_link_updated", timestamp: "2026-11-20T08:00:00.000000000" },
  ]);
  const [one] = receiver.received;
  const renamed = Object.entries(one?.headers ?? {}).map(([name, text]) => [
    name.replace("svix-", "webhook-"),
    text,
  ]);
  expect(one?.headers["webhook-id"]).toBeUndefined();
  expect(isSigned({ ...one!, headers: Object.fromEntries(renamed) })).toBe(true);
  expect((await testHook({ payload: COMPLETED })).status).toBe(400);
  expect(
    (await testHook({ payload: { ...COMPLETED, event_kind: "acme.onboarding.completed" } })).status,
  ).toBe(200);
});
