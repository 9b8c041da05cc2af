import { afterEach, expect, test } from "vitest";
import { Clock } from "../../sandbox/clock.js";
import { type Sandbox, SandboxControl, startSandbox } from "../../sandbox/index.js";
import { call } from "./caller.js";
import { get } from "./reader.js";

let sandbox: Sandbox;
afterEach(() => sandbox?.close());

test("rate limit: a second's worth at once, then 429 with Retry-After, refilled by time, key by key", async () => {
  sandbox = await startSandbox({
    apiKeys: ["one", "two"],
    rateLimit: { perSecond: 3 },
    clock: { now: "2026-11-20T08:00:00Z", frozen: true },
  });
  sandbox.addUser({ fp_id: "u" });
  const statuses = async (key: string, calls: number) => {
    const found: number[] = [];
    for (let i = 0; i < calls; i++) found.push((await get(sandbox, "/users/u", key)).status);
    return found;
  };
  expect(await statuses("one", 4)).toEqual([200, 200, 200, 429]);
  expect(await statuses("two", 1)).toEqual([200]);
  expect((await get(sandbox, "/users/u", "one")).headers.get("retry-after")).toBe("1");
  sandbox.clock.advance(700);
  expect(await statuses("one", 3)).toEqual([200, 200, 429]);
  sandbox.rates.set({ perSecond: 1, retryAfterSeconds: null });
  expect(await statuses("one", 2)).toEqual([200, 429]);
  expect((await get(sandbox, "/users/u", "one")).headers.has("retry-after")).toBe(false);
  sandbox.rates.set(undefined);
  expect(await statuses("one", 5)).toEqual([200, 200, 200, 200, 200]);
});

test("a clock that is moved on does what falls due in its order, each at its own time", () => {
  const clock = new Clock({ now: "2026-11-20T08:00:00Z", frozen: true });
  const done: string[] = [];
  const note = (name: string) => () => {
    done.push(`${name} ${clock.text().slice(17, 19)}`);
  };
  clock.after(3_000, note("c"));
  clock.after(1_000, () => {
    note("a")();
    clock.after(1_000, note("b"));
  });
  clock.after(2_500, note("never"))();
  clock.advance(3_000);
  clock.after(60_000, note("later"));
  expect(done).toEqual(["a 01", "b 02", "c 03"]);
  clock.stop();
  clock.advance(60_000);
  expect(done).toHaveLength(3);
});

test("a clock runs in real time, stops when frozen, and goes on from there", async () => {
  const clock = new Clock({ now: "2000-01-01T00:00:00Z" });
  await new Promise<void>((resolve) => void clock.after(20, resolve));
  expect(clock.text()).toMatch(/^2000-01-01T00:00:00/);
  clock.freeze();
  const frozen = clock.now();
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(clock.now()).toBe(frozen);
  const due = new Promise<void>((resolve) => void clock.after(10, resolve));
  clock.thaw();
  await due;
  expect(clock.now()).toBeGreaterThanOrEqual(frozen + 10);
  clock.stop();
});

test("another process controls every part over HTTP as its methods do", async () => {
  sandbox = await startSandbox({ clock: { now: "2026-11-20T08:00:00Z", frozen: true } });
  const control = new SandboxControl(sandbox.url);
  await control.addUser({ fp_id: "u" });
  await control.playbooks.declare({ key: "p", delayMs: 1_000 });
  await control.playbooks.script({ entity: "u", outcomes: [{ status: "incomplete" }] });
  await call(sandbox, "POST", "/onboardings", { body: { key: "p", fp_id: "u" } });
  await control.clock.advance(1_000);
  const [onboarding] = await control.onboardings.of("u");
  expect(onboarding).toMatchObject({ status: "incomplete", playbook_version: 1 });
  const token = await control.sessions.end({ onboardings: [onboarding!.id] });
  expect(token).toMatch(/^vtok_/);
  expect(await control.onboardings.finish(onboarding!.id, "pass")).toMatchObject({ status: "pass" });
  await control.vaults.write("u", { "custom.a": 1 });
  expect(await control.vaults.value("u", "custom.a")).toBe(1);
  const id = await control.businesses.add({ external_id: "acme" });
  expect(await control.businesses.list()).toEqual([{ id, external_id: "acme" }]);
  await control.addLink({ fp_id: "u", id: "l", accounts: [{ id: "a" }] });
  await control.investments.fill("l", 3);
  expect((await control.investments.truth("l")).transactions).toHaveLength(3);
  expect((await control.webhooks.messages({ fp_id: "u" })).map(({ state }) => state)).toContain(
    "no_endpoint",
  );
  expect(await control.cip.made()).toEqual([]);
  expect(await control.tokens.counts()).toEqual({ made: 0, good: 0 });
  expect(await control.proxies.forwarded()).toEqual([]);
  await control.rates.set({ perSecond: 1 });
  expect(await control.clock.text()).toBe("2026-11-20T08:00:01.000Z");
  await expect(control.businesses.add({ external_id: "acme" })).rejects.toThrow(/the external id is taken/);
  expect((await fetch(`${sandbox.url}/_sandbox/vaults/upload`, { method: "POST" })).status).toBe(404);
  expect((await fetch(`${sandbox.url}/_sandbox/clock/constructor`, { method: "POST" })).status).toBe(404);
});
