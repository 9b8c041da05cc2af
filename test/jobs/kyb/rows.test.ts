import { expect, test } from "vitest";
import { businessInsightsSchema } from "../../../src/api/schemas/business-insights.js";
import { parseExactly } from "../../../src/domain/json/text.js";
import { type BusinessOnboarding, kybRows } from "../../../src/jobs/kyb/rows.js";
import { openColumn } from "../../../src/lake/tables/encrypted-column.js";
import { KYB_TABLES } from "../../../src/lake/tables/kyb.js";
import { SEALER } from "../../helpers/bulk/cip-pack.js";

const BUSINESS = { fp_bid: "fp_bid_1", external_id: "acme", fp_id: "fp_id_1" };
const ONBOARDING = { id: "ob_1", playbook_key: "pb", status: "pass", timestamp: "2026-11-20T10:00:00Z" };
const EMPTY = { addresses: [], names: [], people: [], registrations: [] };
const FULL = `{
  "addresses": [{"address_line1": "1 Market St", "latitude": 37.774900000000000001, "longitude": -122.50, "cmra": false, "deliverable": null}],
  "names": [{"kind": "legal", "name": "Acme", "submitted": true, "verified": null, "score": 1.50}],
  "people": [{"name": "Ada", "role": "owner", "submitted": false}],
  "registrations": [{"addresses": ["1 Market St", "2 Market St"], "state": "CA", "officers": [{"name": "Ada", "roles": ["president"]}, {"name": null, "roles": "cfo"}]}],
  "details": {"entity_type": "llc", "tin": {"tin": "12-3456789", "potential_match": false}, "website": null,
    "phone_numbers": [{"phone": "+15555550100", "submitted": true, "verified": false}]},
  "watchlist": {"hit_count": 1, "business": [], "people": [{"screened_entity_name": "Bob", "hits": []}, {"screened_entity_name": "Ada", "hits": [
    {"agency": "A", "agency_abbr": "A", "agency_information_url": "u", "agency_list_url": "u", "entity_name": "Ada", "entity_addresses": ["x"], "entity_aliases": [], "list_country": "US", "list_name": "l", "url": "u"}]}]},
  "later": {"a": 1}
}`;

function rowsOf(insights: unknown, runId = "kyb-1") {
  const found: BusinessOnboarding = {
    onboarding: ONBOARDING,
    state: "found",
    insights: businessInsightsSchema.parse(insights),
    askedAt: "2026-11-21T00:00:00.000Z",
  };
  return kybRows(BUSINESS, [found], runId, SEALER);
}

const opened = (table: string, column: string, value: unknown) =>
  openColumn(SEALER, table, column, JSON.parse(JSON.stringify(value)));

test("each table gets its columns, all of them and no others", () => {
  const rows = rowsOf(parseExactly(FULL, "as written"));
  for (const { name, columns } of KYB_TABLES) {
    expect(rows[name].length, name).toBeGreaterThan(0);
    for (const row of rows[name])
      expect(Object.keys(row).sort(), name).toEqual(columns.map((column) => column.name).sort());
  }
});

test.each([
  ["absent", {}, { verified: null, absent: true, nulls: false }],
  ["null", { verified: null }, { verified: null, absent: false, nulls: true }],
  ["false", { verified: false }, { verified: false, absent: false, nulls: false }],
  ["true", { verified: true }, { verified: true, absent: false, nulls: false }],
])("keeps %s apart from the others", (_, given, { verified, absent, nulls }) => {
  const [name] = rowsOf({ ...EMPTY, names: [{ submitted: true, ...given }] }).business_names;
  expect(name).toMatchObject({ verified, submitted: true });
  expect(JSON.parse(String(name?.absent)).includes("verified")).toBe(absent);
  expect(JSON.parse(String(name?.nulls)).includes("verified")).toBe(nulls);
});

test.each([
  ["without details", EMPTY, ["details", "watchlist"], []],
  ["details that are null", { ...EMPTY, details: null, watchlist: null }, [], ["details", "watchlist"]],
  [
    "details without a tax id",
    { ...EMPTY, details: { phone_numbers: [], tin: null }, watchlist: null },
    ["details.entity_type", "details.formation_date", "details.formation_state", "details.website"],
    ["watchlist", "details.tin"],
  ],
])("says of insights %s what is absent and what is null", (_, insights, absent, nulls) => {
  const [row] = rowsOf(insights).business_insights;
  expect(JSON.parse(String(row?.absent))).toEqual(["onboarding.external_id", ...absent]);
  expect(JSON.parse(String(row?.nulls))).toEqual(nulls);
});

test("coordinates keep every digit, and a field that no column has is kept, encrypted", () => {
  const rows = rowsOf(parseExactly(FULL, "as written"));
  const [address] = rows.business_addresses;
  expect(opened("business_addresses", "latitude", address?.latitude)).toBe("37.774900000000000001");
  expect(opened("business_addresses", "longitude", address?.longitude)).toBe("-122.50");
  const [name] = rows.business_names;
  expect(opened("business_names", "other_fields", name?.other_fields)).toBe('{"score":"1.50"}');
  const [insights] = rows.business_insights;
  expect(opened("business_insights", "other_fields", insights?.other_fields)).toBe('{"later":{"a":1}}');
});

test("who was screened is there without a hit too", () => {
  const rows = rowsOf(parseExactly(FULL, "as written"));
  expect(rows.business_insights[0]).toMatchObject({
    watchlist_hit_count: "1",
    screened_businesses: "[]",
    screened_people: '["Bob","Ada"]',
  });
  expect(rows.business_watchlist_hits).toMatchObject([
    { screened: "people", entity: 2, position: 1, screened_entity_name: "Ada", entity_aliases: "[]" },
  ]);
});

test("children are keyed to business and onboarding, officers to their registration", () => {
  const key = { run_id: "kyb-1", fp_bid: "fp_bid_1", onboarding_id: "ob_1" };
  const rows = rowsOf(parseExactly(FULL, "as written"));
  for (const { name } of KYB_TABLES) for (const row of rows[name]) expect(row, name).toMatchObject(key);
  expect(rows.business_registration_officers).toMatchObject([
    { registration: 1, position: 1, name: "Ada", roles: '["president"]' },
    { registration: 1, position: 2, name: null, roles: "cfo" },
  ]);
});

test("nothing that identifies a home, a phone or a tax id is in the clear", () => {
  const text = JSON.stringify(rowsOf(parseExactly(FULL, "as written")));
  for (const secret of ["12-3456789", "1 Market St", "2 Market St", "37.7749", "-122.50", "+15555550100"])
    expect(text).not.toContain(secret);
});

test("an onboarding without insights is a row that says so", () => {
  const none = { onboarding: ONBOARDING, state: "none", insights: null, askedAt: null } as const;
  const rows = kybRows(BUSINESS, [none], "kyb-1", SEALER);
  expect(rows.business_insights).toMatchObject([
    {
      insights: "none",
      status: "pass",
      external_id: "acme",
      fp_id: "fp_id_1",
      absent: '["onboarding.external_id"]',
    },
  ]);
  expect(Object.values(rows).flat()).toHaveLength(1);
});

test("a business without onboardings is a row that says so", () => {
  const rows = kybRows(BUSINESS, [], "kyb-1", SEALER);
  const { fp_bid, external_id, fp_id } = BUSINESS;
  expect(Object.values(rows).flat()).toEqual([
    { run_id: "kyb-1", fp_bid, external_id, fp_id, insights: "no_onboarding" },
  ]);
});
