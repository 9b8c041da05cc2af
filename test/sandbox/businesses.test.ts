import { afterEach, beforeEach, expect, test } from "vitest";
import { type Sandbox, startSandbox } from "../../sandbox/index.js";
import { type CallSettings, call } from "../helpers/stand-in/caller.js";

let sandbox: Sandbox;
beforeEach(async () => {
  const playbooks = [{ key: "b", kind: "kyb" as const, delayMs: 1_000 }];
  sandbox = await startSandbox({ playbooks, clock: { now: "2026-11-20T08:00:00Z", frozen: true } });
  sandbox.addUser({ fp_id: "u", external_id: "customer-u" });
});
afterEach(() => sandbox.close());

const create = (settings: CallSettings = {}) => call(sandbox, "POST", "/businesses", settings);
const patch = (id: string, body: object) => call(sandbox, "PATCH", `/businesses/${id}`, { body });

test("create: with nothing, with data, with an external id, with a sandbox id", async () => {
  expect((await create()).body).toEqual({ id: expect.stringMatching(/^fp_bid_/) });
  const { id } = (await create({ body: { "business.name": "Acme", "custom.tier": 2 } })).body;
  expect(sandbox.vaults.contents(id)).toEqual({ "business.name": "Acme", "custom.tier": 2 });
  const headers = { "x-external-id": "acme_1.a-b", "x-sandbox-id": "box-1" };
  const named = await create({ headers });
  expect(named.body).toEqual({ id: expect.any(String), external_id: "acme_1.a-b", sandbox_id: "box-1" });
  expect((await create({ body: {}, headers: { "x-external-id": "acme_2" } })).status).toBe(200);
});

test("create: an external id names one entity only; without one a repeated call makes a second business", async () => {
  const headers = { "x-external-id": "acme" };
  expect((await create({ headers })).status).toBe(200);
  expect((await create({ headers })).status).toBe(400);
  expect((await create({ headers: { "x-external-id": "customer-u" } })).status).toBe(400);
  await create({ body: { "business.name": "Twin" } });
  await create({ body: { "business.name": "Twin" } });
  expect(sandbox.businesses.list()).toHaveLength(3);
});

test("update: an external id is given, changed, given again; another's is answered 400", async () => {
  const [a, b] = [(await create()).body.id, (await create()).body.id];
  expect((await patch(a, { external_id: "one" })).body).toEqual({ id: a, external_id: "one" });
  expect((await patch(a, { external_id: "one" })).status).toBe(200);
  expect((await patch(b, { external_id: "one" })).status).toBe(400);
  expect((await patch(b, { external_id: "customer-u" })).status).toBe(400);
  expect((await patch(a, { external_id: "two" })).status).toBe(200);
  expect((await patch(b, { external_id: "one" })).status).toBe(200);
  expect((await patch("fp_bid_none", {})).status).toBe(404);
  expect((await patch(b, {})).body).toEqual({ id: b, external_id: "one" });
});

test("insights: there once the run has ended, of its own business only, the same each time", async () => {
  const id = sandbox.businesses.add({ values: { "business.name": "Acme" } });
  const other = sandbox.businesses.add();
  const { body } = await call(sandbox, "POST", "/onboardings", { body: { key: "b", fp_id: id } });
  const details = (business: string, onboarding = body.id) =>
    call(sandbox, "GET", `/businesses/${business}/onboardings/${onboarding}/details`);
  expect((await details(id)).status).toBe(404);
  sandbox.clock.advance(1_000);
  const first = await details(id);
  expect(first.body).toMatchObject({
    addresses: expect.any(Array),
    names: expect.arrayContaining([expect.objectContaining({ name: "Acme", submitted: true })]),
    people: expect.any(Array),
    registrations: expect.any(Array),
  });
  expect((await details(id)).text).toBe(first.text);
  expect((await details(other)).status).toBe(404);
  expect((await details(id, "ob_none")).status).toBe(404);
  sandbox.businesses.setInsights(body.id, { names: [] });
  expect((await details(id)).body).toEqual({ names: [] });
});

test("businesses with onboardings, and investments, may be there from the start", async () => {
  const population = { kind: "synthetic", users: 1, linksPerUser: 1, rows: 1, otherStates: true } as const;
  const filled = await startSandbox({ population, businesses: 2, businessOnboardings: 3, investments: 7 });
  expect(filled.businesses.list().map(({ id, external_id }) => [id, external_id])).toEqual([
    ["fp_bid_00001", "business-1"],
    ["fp_bid_00002", "business-2"],
  ]);
  expect(filled.onboardings.of("fp_bid_00001")).toHaveLength(3);
  expect(filled.investments.truth("link_fp_id_00001_1").transactions).toHaveLength(7);
  await filled.close();
});
