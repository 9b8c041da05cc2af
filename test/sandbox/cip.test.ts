import { afterEach, beforeEach, expect, test } from "vitest";
import { type Sandbox, startSandbox } from "../../sandbox/index.js";
import { call } from "../helpers/stand-in/caller.js";

let sandbox: Sandbox;
beforeEach(async () => {
  const clock = { now: "2026-11-20T08:00:00.000Z", frozen: true };
  sandbox = await startSandbox({ clock, playbooks: [{ key: "p" }] });
  for (let user = 0; user < 120; user++) sandbox.addUser({ fp_id: `u${user}` });
});
afterEach(() => sandbox.close());

const approver = "ops@example.com";
const report = async (user: string, body: object = { default_approver: approver }) =>
  call(sandbox, "POST", `/users/${user}/integrations/brokerage/cip_report`, { body });

test("a report has every field of the contract that is not optional", async () => {
  const { body } = await report("u1");
  expect(body).toMatchObject({
    user_id: "u1",
    approved_at: expect.any(String),
    approved_by: approver,
    ip_address: expect.any(String),
    date_of_birth_breakdown: expect.any(Array),
    matched_addresses: expect.any(Array),
    tax_id_breakdown: expect.any(Array),
    checked_data: {
      address: expect.any(String),
      customer_name: expect.any(String),
      date_of_birth: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
    },
    self_reported: expect.any(Object),
    watchlist: { check_completed_at: "2026-11-20T08:00:00.000Z", records: expect.any(Array) },
  });
  for (const name of ["result", "date_of_birth", "matched_address", "tax_id"]) {
    expect(["clear", "consider"]).toContain(body[name]);
  }
});

test("each call makes a new report, with a screening of its own and the rest as before", async () => {
  const first = (await report("u1")).body;
  sandbox.clock.advance(60_000);
  const second = (await report("u1")).body;
  expect(second.watchlist.check_completed_at).toBe("2026-11-20T08:01:00.000Z");
  const { check_completed_at } = first.watchlist;
  expect({ ...second, watchlist: { ...second.watchlist, check_completed_at } }).toEqual(first);
  expect(sandbox.cip.made("u1").map(({ at }) => at)).toEqual([
    check_completed_at,
    "2026-11-20T08:01:00.000Z",
  ]);
});

test("a reviewer's name overwrites the default approver", async () => {
  const body = { key: "p", fp_id: "u1", synchronous_timeout_secs: 5 };
  const { id } = (await call(sandbox, "POST", "/onboardings", { body })).body;
  expect((await report("u1")).body).toMatchObject({
    approved_by: approver,
    approved_at: "2026-11-20T08:00:00.000Z",
  });
  sandbox.onboardings.review(id, "pass", "rita@example.com");
  expect((await report("u1")).body).toMatchObject({
    approved_by: "rita@example.com",
    approved_reason: expect.any(String),
  });
});

test("a script sets what is to be considered, left out and replaced", async () => {
  sandbox.cip.script("u1", {
    consider: ["tax_id", "sanction"],
    omit: ["approved_reason", "check_completed_at", "checked_data.tax_id"],
    fields: { ip_address: "198.51.100.7" },
  });
  const { body } = await report("u1");
  expect(body).toMatchObject({
    result: "consider",
    tax_id: "consider",
    date_of_birth: "clear",
    ip_address: "198.51.100.7",
    watchlist: { result: "consider", sanction: "consider", adverse_media: "clear" },
  });
  expect(body.checked_data).not.toHaveProperty("tax_id");
  expect(body).not.toHaveProperty("check_completed_at");
  expect(body.watchlist.records.map((record: unknown) => typeof record)).toEqual([
    "object",
    "string",
    "number",
    "boolean",
  ]);
});

test("over many users there are reports to consider, and gaps in optional fields", async () => {
  const bodies = [];
  for (let user = 0; user < 120; user++) bodies.push((await report(`u${user}`)).body);
  const considered = bodies.filter(({ result }) => result === "consider");
  expect(considered.length).toBeGreaterThan(5);
  expect(considered.length).toBeLessThan(60);
  for (const name of ["approved_reason", "check_initiated_at", "check_completed_at", "kyc_completed_at"]) {
    expect(bodies.some((body) => name in body)).toBe(true);
    expect(bodies.some((body) => !(name in body))).toBe(true);
  }
});
