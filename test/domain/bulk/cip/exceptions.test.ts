import { describe, expect, test } from "vitest";
import { exceptionsOf, isAutomatic } from "../../../../src/domain/bulk/cip/exceptions.js";
import type { CipReportFacts } from "../../../../src/domain/bulk/cip/report.js";

const APPROVER = "compliance@bank.example";
const CONTEXT = { approver: APPROVER, madeAt: "2026-11-20T08:00:00Z" };

const CLEAN: CipReportFacts = {
  approved_at: "2026-06-01T10:05:00Z",
  approved_by: APPROVER,
  check_initiated_at: "2026-06-01T10:00:00Z",
  check_completed_at: "2026-06-01T10:04:00Z",
  kyc_completed_at: "2026-06-01T10:05:00Z",
  ip_address: "192.0.2.1",
  result: "clear",
  date_of_birth: "clear",
  date_of_birth_breakdown: ["service"],
  matched_address: "clear",
  matched_addresses: ["service", "source_2"],
  tax_id: "clear",
  tax_id_breakdown: ["source_3"],
  checked_data: { address: "1 Elm", customer_name: "Ada", date_of_birth: "1980-01-01", tax_id: "911000000" },
  watchlist: {
    adverse_media: "clear",
    monitored_lists: "clear",
    politically_exposed_person: "clear",
    result: "clear",
    sanction: "clear",
    check_completed_at: "2026-11-20T08:00:00Z",
    records: [],
  },
};

const briefly = (report: CipReportFacts) =>
  exceptionsOf(report, CONTEXT).map(({ kind, part, element }) => [kind, part, element].join(" "));

test("a clean report has none", () => {
  expect(briefly(CLEAN)).toEqual([]);
});

describe("consider", () => {
  test.each(["result", "date_of_birth", "matched_address", "tax_id"] as const)(
    "at %s is named",
    (element) => {
      const found = exceptionsOf({ ...CLEAN, [element]: "consider", approved_reason: "seen" }, CONTEXT);
      expect(found).toMatchObject([{ kind: "consider", part: "C", element }]);
    },
  );

  test.each([
    "result",
    "sanction",
    "politically_exposed_person",
    "adverse_media",
    "monitored_lists",
  ] as const)("at the watchlist's %s is named, whatever the result over all says", (element) => {
    const watchlist = { ...CLEAN.watchlist, [element]: "consider" };
    const found = briefly({ ...CLEAN, watchlist, approved_reason: "seen" });
    expect(found).toEqual([`consider C watchlist.${element}`]);
  });
});

describe("what is missing", () => {
  const data = CLEAN.checked_data;
  test.each([
    ["(A) no tax id", { checked_data: { ...data, tax_id: undefined } }, "missing A checked_data.tax_id"],
    [
      "(A) a blank name",
      { checked_data: { ...data, customer_name: " " } },
      "missing A checked_data.customer_name",
    ],
    [
      "(A) no birth date",
      { checked_data: { ...data, date_of_birth: "" } },
      "missing A checked_data.date_of_birth",
    ],
    ["(A) no address", { checked_data: { ...data, address: "" } }, "missing A checked_data.address"],
    ["(C) no start", { check_initiated_at: null }, "missing C check_initiated_at"],
    ["(C) no end", { check_completed_at: undefined }, "missing C check_completed_at"],
    ["(C) no end of KYC", { kyc_completed_at: "" }, "missing C kyc_completed_at"],
    ["(C) a time that is none", { approved_at: "last week" }, "missing C approved_at"],
    ["(C) no source", { tax_id_breakdown: [] }, "missing C tax_id"],
  ])("%s", (_, fields, expected) => {
    expect(briefly({ ...CLEAN, ...fields })).toEqual([expected]);
  });

  test("(D) a consider without a reason of the approval, and how it was approved", () => {
    const found = exceptionsOf({ ...CLEAN, tax_id: "consider" }, CONTEXT);
    expect(found).toMatchObject([
      { kind: "consider" },
      { kind: "missing", part: "D", detail: expect.stringContaining("approved automatically") },
    ]);
    expect(briefly({ ...CLEAN, tax_id: "consider", approved_reason: "documents were seen" })).toEqual([
      "consider C tax_id",
    ]);
  });
});

describe("times", () => {
  test("approved before the check was completed; at the same instant is in order, whatever the offset", () => {
    expect(briefly({ ...CLEAN, approved_at: "2026-06-01T10:04:59.999Z" })).toEqual([
      "approved_before_check C approved_at",
    ]);
    expect(briefly({ ...CLEAN, approved_at: "2026-06-01T12:05:00+02:00" })).toEqual([]);
  });

  test("a check that is older than a year, to the second", () => {
    expect(briefly({ ...CLEAN, check_completed_at: "2025-11-20T07:59:59Z" })).toEqual([
      "check_older_than_a_year C check_completed_at",
    ]);
    expect(briefly({ ...CLEAN, check_completed_at: "2025-11-20T08:00:00Z" })).toEqual([]);
  });
});

test("a reviewer's approval is listed, the approver's is automatic", () => {
  const manual = { ...CLEAN, approved_by: "Rita" };
  expect(briefly(manual)).toEqual(["manual_approval D approved_by"]);
  expect([isAutomatic(CLEAN, APPROVER), isAutomatic(manual, APPROVER)]).toEqual([true, false]);
});
