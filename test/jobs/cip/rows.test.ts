import { expect, test } from "vitest";
import type { CipMember } from "../../../src/jobs/cip/member.js";
import { cipRows } from "../../../src/jobs/cip/rows.js";
import { CIP_TABLES } from "../../../src/lake/tables/cip.js";
import { openColumn } from "../../../src/lake/tables/encrypted-column.js";
import { madeUpMember, madeUpReport } from "../../helpers/bulk/cip-members.js";
import { SEALER } from "../../helpers/bulk/cip-pack.js";

const MEMBER = madeUpMember(1);
/** The rows as files and tables store them. */
const rowsOf = (member: CipMember, runId = "cip-1"): ReturnType<typeof cipRows> =>
  JSON.parse(JSON.stringify(cipRows(member, runId, SEALER)));
const reportRow = (fields: Readonly<Record<string, unknown>>) =>
  rowsOf({ ...MEMBER, report: madeUpReport(1, fields) }).cip_reports[0] ?? {};

test("each table gets its columns and no others", () => {
  const rows = rowsOf({
    ...MEMBER,
    report: madeUpReport(1, {
      watchlist: { ...MEMBER.report?.watchlist, records: ["a", 1, true, { b: 2 }, null] },
    }),
  });
  for (const { name, columns } of CIP_TABLES) {
    expect(rows[name].length, name).toBeGreaterThan(0);
    const known = new Set<string>(columns.map((column) => column.name));
    for (const row of rows[name]) expect(Object.keys(row).filter((column) => !known.has(column))).toEqual([]);
  }
  expect(Object.keys(rows.cip_reports[0] ?? {})).toHaveLength(CIP_TABLES[0].columns.length);
  const clear = (record: unknown) => openColumn(SEALER, "cip_watchlist_records", "record", String(record));
  expect(rows.cip_watchlist_records.map(({ kind, record }) => [kind, clear(record)])).toEqual([
    ["text", "a"],
    ["number", "1"],
    ["boolean", "true"],
    ["object", '{"b":2}'],
    ["null", "null"],
  ]);
});

test("tax id, birth date, address and IP address are encrypted, and open under their column alone", () => {
  const [row = {}] = rowsOf(MEMBER).cip_reports;
  const report = MEMBER.report;
  const clear = {
    ip_address: report?.ip_address,
    checked_data_address: report?.checked_data.address,
    checked_data_date_of_birth: report?.checked_data.date_of_birth,
    checked_data_tax_id: report?.checked_data.tax_id,
  };
  for (const [column, value] of Object.entries(clear)) {
    const sealed = String(row[column]);
    expect(Buffer.from(sealed, "base64").toString("latin1")).toMatch(/^NLS1/);
    expect(openColumn(SEALER, "cip_reports", column, sealed)).toBe(value);
    expect(() => SEALER.open(Buffer.from(sealed, "base64"), "cip_reports.other")).toThrow();
  }
  const text = JSON.stringify(rowsOf(MEMBER));
  for (const value of Object.values(clear)) expect(text).not.toContain(value);
});

test("the same report gives the same rows but for the run", () => {
  const without = (runId: string) => JSON.stringify(rowsOf(MEMBER, runId)).replaceAll(runId, "");
  expect(without("cip-1")).toBe(without("cip-2"));
  const other = { ...MEMBER, fpId: "fp_other" };
  const value = (member: CipMember) => rowsOf(member).cip_reports[0]?.checked_data_tax_id;
  expect(value(other)).not.toBe(value(MEMBER));
});

test("what is absent is null, a text that is not an instant is kept beside null", () => {
  const row = reportRow({
    approved_reason: undefined,
    check_initiated_at: undefined,
    kyc_completed_at: "soon",
  });
  expect(row).toMatchObject({
    ...{ approved_reason: null, check_initiated_at: null, check_initiated_at_text: null },
    ...{ kyc_completed_at: null, kyc_completed_at_text: "soon" },
  });
});

test("fields that no column has are kept, encrypted; they never replace a column", () => {
  const row = reportRow({
    zodiac: "aries",
    self_reported: { occupation: "Engineer", fp_id: "fp_forged", pets: 2 },
    watchlist: { ...MEMBER.report?.watchlist, list: "x" },
  });
  const opened = JSON.parse(openColumn(SEALER, "cip_reports", "other_fields", String(row.other_fields)));
  expect(opened).toEqual({
    zodiac: "aries",
    "self_reported.fp_id": "fp_forged",
    "self_reported.pets": 2,
    "watchlist.list": "x",
  });
  const [self = {}] = rowsOf({
    ...MEMBER,
    report: madeUpReport(1, { self_reported: { fp_id: "x" } }),
  }).cip_self_reported;
  expect(self.fp_id).toBe(MEMBER.fpId);
  expect(reportRow({}).other_fields).toBeNull();
});
