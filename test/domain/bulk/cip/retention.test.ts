import { describe, expect, test } from "vitest";
import { PackRetention, purgeDays } from "../../../../src/domain/bulk/cip/retention.js";

const MADE = "2026-11-20T08:00:00.000Z";

describe("the days of a member", () => {
  test.each([
    [
      "an open account has no day",
      null,
      false,
      { identity: null, records: "2031-11-20", note: "account open" },
    ],
    [
      "a closed one five years on",
      "2025-06-30",
      false,
      { identity: "2030-06-30", records: "2031-11-20", note: null },
    ],
    ["February 29", "2024-02-29", false, { identity: "2029-03-01", records: "2031-11-20", note: null }],
    ["a legal hold wins", "2001-01-01", true, { identity: null, records: null, note: "legal hold" }],
  ])("%s", (_, accountClosedOn, legalHold, expected) => {
    expect(purgeDays({ accountClosedOn, legalHold, madeAt: MADE })).toEqual(expected);
  });

  test("no record, no day for it", () => {
    expect(purgeDays({ accountClosedOn: "2025-06-30", legalHold: false, madeAt: null }).records).toBeNull();
  });
});

test("a pack is kept as long as the longest of its members", () => {
  const retention = new PackRetention();
  for (const accountClosedOn of ["2025-06-30", "2020-01-01"]) {
    retention.add(purgeDays({ accountClosedOn, legalHold: false, madeAt: MADE }));
  }
  expect(retention.summary()).toMatchObject({
    classes: [{ earliest_purge: "2030-06-30" }, { earliest_purge: "2031-11-20" }],
    open_accounts: 0,
    legal_holds: 0,
  });
  retention.add(purgeDays({ accountClosedOn: null, legalHold: false, madeAt: MADE }));
  expect(retention.summary().classes).toMatchObject([
    { earliest_purge: null, members_without_a_day: 1 },
    { earliest_purge: "2031-11-20", members_without_a_day: 0 },
  ]);
  retention.add(purgeDays({ accountClosedOn: "2025-06-30", legalHold: true, madeAt: MADE }));
  expect(retention.summary()).toMatchObject({
    classes: [{ earliest_purge: null }, { earliest_purge: null, members_without_a_day: 1 }],
    open_accounts: 1,
    legal_holds: 1,
  });
});
