import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { CustomerRow } from "../../../src/domain/onboarding/customer.js";
import {
  batchId,
  batchLine,
  identityHash,
  identityOf,
  playbookKeyOf,
  playbookVersionOf,
  rowKey,
} from "../../../src/domain/onboarding/identity.js";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const row: CustomerRow = {
  line: 2,
  kind: "user",
  fpId: "fp_1",
  externalId: null,
  prerequisiteData: { tier: "gold", limit: { a: 1, b: 2 } },
  vault: { "id.dob": "1980-01-01", "custom.x": 1 },
  documents: { "custom.scan": { bytes: 3, sha256: "aa", contentType: null } },
  create: false,
};
const purpose = { playbook: "pb_1:v3", mode: "async", service: "s1" } as const;

it.each<[string, Partial<CustomerRow>, string]>([
  ["fp_id", {}, "fp_id:fp_1"],
  ["external id", { fpId: null, externalId: "c-1" }, "external_id:c-1"],
  ["first data", { fpId: null, vault: { "business.tin": "2", "business.name": "A" } }, ""],
])("a customer is known by %s", (_, change, identity) => {
  const found = identityOf({ ...row, ...change });
  expect(found).toBe(identity === "" ? 'data:{"business.name":"A","business.tin":"2"}' : identity);
  expect(identityHash(sha256, found)).toBe(sha256(found).slice(0, 32));
});

describe("a row's key", () => {
  const key = rowKey(sha256, row, purpose);

  it("is 32 hex digits", () => expect(key).toMatch(/^[0-9a-f]{32}$/));

  it.each<[string, CustomerRow]>([
    ["line", { ...row, line: 9 }],
    ["the order of names", { ...row, prerequisiteData: { limit: { b: 2, a: 1 }, tier: "gold" } }],
    [
      "a file's type",
      { ...row, documents: { "custom.scan": { bytes: 3, sha256: "aa", contentType: "x/y" } } },
    ],
  ])("does not change with %s", (_, same) => expect(rowKey(sha256, same, purpose)).toBe(key));

  it.each<[string, CustomerRow, object]>([
    ["kind", { ...row, kind: "business" }, {}],
    ["identity", { ...row, fpId: "fp_2" }, {}],
    ["data", { ...row, prerequisiteData: { tier: "gold" } }, {}],
    ["no data and empty data", { ...row, prerequisiteData: null }, {}],
    ["type of a value", { ...row, vault: { ...row.vault, "custom.x": "1" } }, {}],
    [
      "bytes of a file",
      { ...row, documents: { "custom.scan": { ...row.documents["custom.scan"]!, sha256: "bb" } } },
      {},
    ],
    ["playbook", row, { playbook: "pb_2:v3" }],
    ["version", row, { playbook: "pb_1" }],
    ["mode", row, { mode: "sync" }],
    ["service", row, { service: "s2" }],
  ])("changes with %s", (_, other, change) =>
    expect(rowKey(sha256, other, { ...purpose, ...change })).not.toBe(key),
  );
});

describe("a batch's id", () => {
  const lines = [
    batchLine({ line: 2, rowKey: "k" }),
    batchLine({ line: 3, problems: [{ line: 3, column: "fp_id", code: "blank", rule: "is blank" }] }),
  ];

  it("names right rows by key and wrong ones by the codes of what is wrong", () => {
    expect(lines).toEqual(["2 k\n", '3 invalid [["fp_id","blank"]]\n']);
    const id = batchId(sha256, sha256(lines.join("")), purpose);
    expect(id).toMatch(/^onb_[0-9a-f]{24}$/);
    expect(batchId(sha256, sha256(lines.join("")), { ...purpose, mode: "sync" })).not.toBe(id);
    expect(batchId(sha256, sha256(lines[0]!), purpose)).not.toBe(id);
    expect(batchId(sha256, sha256(lines.join("")), { ...purpose, service: "s2" })).not.toBe(id);
  });

  it("stays when the words of a broken rule change", () => {
    expect(
      batchLine({
        line: 3,
        problems: [{ line: 3, column: "fp_id", code: "blank", rule: "has nothing in it" }],
      }),
    ).toBe(lines[1]);
    expect(
      batchLine({ line: 3, problems: [{ line: 3, column: "fp_id", code: "slash", rule: "is blank" }] }),
    ).not.toBe(lines[1]);
  });
});

it.each([
  ["pb_1:v3", "pb_1", 3],
  ["pb_1", "pb_1", null],
])("%s is the key %s, version %s", (playbook, key, version) => {
  expect(playbookKeyOf(playbook)).toBe(key);
  expect(playbookVersionOf(playbook)).toBe(version);
});
