import { afterEach, expect, test } from "vitest";
import { remoteSandbox, type Sandbox, startSandbox } from "../../sandbox/index.js";
import { call } from "../helpers/stand-in/caller.js";

let sandbox: Sandbox;
afterEach(() => sandbox?.close());

test("another process controls every part over HTTP as its methods do", async () => {
  sandbox = await startSandbox({ clock: { now: "2026-11-20T08:00:00Z", frozen: true } });
  const control = remoteSandbox(sandbox.url);
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
  const raw = '{"transaction_id":"r","amount":1.50,"description":"\u2028"}';
  await control.append("l", [{ change: "created", raw }]);
  const texts: string[] = [];
  for await (const truth of control.truthRows("l")) texts.push(truth.text);
  for await (const { change } of control.events("l")) texts.push(change);
  expect(texts).toEqual([raw, "created"]);
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
  expect((await fetch(`${sandbox.url}/_sandbox/vaults/upload`)).status).toBe(404);
  expect((await fetch(`${sandbox.url}/_sandbox/clock/constructor`)).status).toBe(404);
});
