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
