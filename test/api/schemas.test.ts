import { describe, expect, it } from "vitest";
import { checkAnswer } from "../../src/api/http/answer.js";
import {
  createBusiness,
  createCipReport,
  createClientToken,
  createOnboarding,
  decryptVault,
  getBusinessInsights,
  getOnboarding,
  listUserOnboardings,
  validateSession,
} from "../../src/api/operations/index.js";
import type { Operation } from "../../src/api/operations/operation.js";

const RESULT = { id: "o", status: "pass", requires_manual_review: false };
const USER = {
  fp_id: "f",
  onboarding_id: "o",
  playbook_key: "k",
  requires_manual_review: true,
  status: "fail",
};
const CONTINUE = { expires_at: "t", link: "l", token: "s" };
const INSIGHTS = { addresses: [], names: [], people: [], registrations: [] };
const verdicts = { date_of_birth: "clear", matched_address: "clear", tax_id: "consider", result: "clear" };
const REPORT = {
  user_id: "f",
  approved_at: "t",
  approved_by: "Ops",
  ip_address: "127.0.0.1",
  ...verdicts,
  date_of_birth_breakdown: [],
  matched_addresses: ["x"],
  tax_id_breakdown: [],
  checked_data: { address: "a", customer_name: "n", date_of_birth: "d" },
  self_reported: {},
  watchlist: {
    adverse_media: "clear",
    monitored_lists: "clear",
    politically_exposed_person: "clear",
    result: "clear",
    sanction: "clear",
    check_completed_at: "t",
    records: ["a", 1, true, {}],
  },
};

describe("an answer of the document's shape passes, with fields that it doesn't name", () => {
  it.each<[string, Operation, object]>([
    ["an onboarding", createOnboarding, { ...RESULT, output: { risk: "low" }, new_field: 1 }],
    [
      "an incomplete one",
      createOnboarding,
      { ...RESULT, status: "incomplete", continue_onboarding: CONTINUE },
    ],
    ["an empty session", validateSession, {}],
    ["a token without fields", createClientToken, { token: "t", expires_at: "x" }],
    ["data that the vault doesn't hold", decryptVault, { "id.dob": null }],
    [
      "insights",
      getBusinessInsights,
      { ...INSIGHTS, names: [{ submitted: true, verified: null }], watchlist: null },
    ],
    ["a report", createCipReport, REPORT],
  ])("%s", (_, operation, body) => expect(checkAnswer(operation, body)).toEqual(body));
});

describe("an answer that breaks the contract names the place and the expectation, and quotes nothing", () => {
  it.each<[Operation, unknown, string]>([
    [createOnboarding, { ...RESULT, id: undefined }, "id"],
    [createOnboarding, { ...RESULT, status: 5 }, "status"],
    [createOnboarding, { ...RESULT, requires_manual_review: "PLANTED" }, "requires_manual_review"],
    [createOnboarding, { ...RESULT, output: ["PLANTED"] }, "output"],
    [
      createOnboarding,
      { ...RESULT, continue_onboarding: { token: "PLANTED" } },
      "continue_onboarding.expires_at",
    ],
    [getOnboarding, { status: 5 }, "status"],
    [getOnboarding, [], ""],
    [listUserOnboardings, { data: {} }, "data"],
    [listUserOnboardings, { data: [{ ...RESULT }] }, "data.0.playbook_key"],
    [listUserOnboardings, { data: [], meta: { next_page: "PLANTED" } }, "meta.next_page"],
    [validateSession, { user: { ...USER, status: undefined } }, "user.status"],
    [createClientToken, { token: "", expires_at: "x" }, "token"],
    [decryptVault, ["PLANTED"], ""],
    [createBusiness, {}, "id"],
    [getBusinessInsights, { ...INSIGHTS, people: null }, "people"],
    [getBusinessInsights, { ...INSIGHTS, names: [{ submitted: "PLANTED" }] }, "names.0.submitted"],
    [createCipReport, { ...REPORT, result: "PLANTED" }, "result"],
    [
      createCipReport,
      { ...REPORT, watchlist: { ...REPORT.watchlist, sanction: null } },
      "watchlist.sanction",
    ],
  ])("%#", (operation, body, path) => {
    expect(() => checkAnswer(operation, body)).toThrow(
      expect.objectContaining({ name: "SchemaError", path, message: expect.not.stringContaining("PLANTED") }),
    );
  });
});
