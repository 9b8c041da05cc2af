import { describe, expect, it } from "vitest";
import { CUSTOMERS, customerOf, nameOf } from "../../../src/intake/onboarding/customer-row.js";

type Fields = Readonly<Record<string, unknown>>;

/** A row as its file's columns. */
function given(names: Fields, groups: { data?: Fields; vault?: Fields; document?: Fields } = {}): Fields {
  const grouped = Object.entries(groups).flatMap(([group, fields]) =>
    Object.entries(fields).map(([name, value]) => [`${group}.${name}`, value]),
  );
  return { ...names, ...Object.fromEntries(grouped) };
}

function problemsOf(row: Fields) {
  const issues = CUSTOMERS.row.safeParse(row).error?.issues ?? [];
  return issues.map(({ path: [column], message: rule, ...issue }) => {
    return { column, rule, code: issue.code === "custom" && issue.params?.code };
  });
}

function customer(row: Fields) {
  return customerOf({ line: 7, row: CUSTOMERS.row.parse(row), problems: [] });
}

const NO_UPDATE = "id.*, custom.<name>, investor_profile.*, document.*";

describe("a row that keeps the rules", () => {
  it.each<[string, Fields, object]>([
    [
      "a user by fp_id",
      given({ fp_id: "fp_1" }),
      { kind: "user", fpId: "fp_1", externalId: null, create: false },
    ],
    [
      "a user by external id",
      given({ kind: "user", external_id: "a@b.c/1" }),
      { fpId: null, externalId: "a@b.c/1" },
    ],
    ["no data is null", given({ fp_id: "fp_1" }), { prerequisiteData: null, vault: {} }],
    [
      "data of any JSON",
      given({ external_id: "a" }, { data: { n: 1.5, t: "", o: { a: [null, true] } } }),
      { prerequisiteData: { n: 1.5, t: "", o: { a: [null, true] } } },
    ],
    [
      "vault values of every type",
      given(
        { fp_id: "fp_1" },
        { vault: { "id.dob": "1980-01-01", "custom.n": 3, "custom.b": false, "custom.o": {} } },
      ),
      { vault: { "id.dob": "1980-01-01", "custom.n": 3, "custom.b": false, "custom.o": {} } },
    ],
    ["a file", given({ fp_id: "fp_1" }, { document: { "custom.scan": "a.png" } }), { fpId: "fp_1" }],
    [
      "a business that is there",
      given({ kind: "business", fp_bid: "fp_bid_1" }),
      { fpId: "fp_bid_1", create: false },
    ],
    ["a business by external id", given({ kind: "business", external_id: "a-1" }), { create: true }],
    [
      "a business by first data",
      given({ kind: "business" }, { vault: { "business.name": "A", "custom.x": 1 } }),
      { create: true, fpId: null, externalId: null },
    ],
  ])("%s", (_, row, draft) => {
    expect(problemsOf(row)).toEqual([]);
    expect(customer(row)).toMatchObject({ line: 7, ...draft });
  });

  it("keeps a field named __proto__ a field", () => {
    const data = JSON.parse('{"__proto__":{"a":1}}') as Fields;
    const { prerequisiteData } = customer(given({ fp_id: "fp_1" }, { data }));
    expect(JSON.stringify(prerequisiteData)).toBe('{"__proto__":{"a":1}}');
  });
});

const needsFpId = "needs the fp_id in the row: no operation finds a user's vault by external id";

// Ids of batches are made of the codes, which never change.
describe("a row that breaks a rule: code, column and rule", () => {
  it.each<[string, Fields, [code: string, column: string | null, rule: string]]>([
    [
      "unknown kind",
      given({ kind: "User", fp_id: "a" }),
      ["unknown_kind", "kind", "is not user or business"],
    ],
    ["kind no text", given({ kind: 1, fp_id: "a" }), ["unknown_kind", "kind", "is not user or business"]],
    ["neither id", given({}), ["missing", "fp_id", "is missing, and so is external_id"]],
    [
      "neither id nor first data",
      given({ kind: "business" }, { data: { a: 1 } }),
      [
        "missing",
        "fp_bid",
        "is missing, and so are external_id and first data (vault.…) to make the business with",
      ],
    ],
    [
      "both ids",
      given({ fp_id: "a", external_id: "b" }),
      ["both_ids", "external_id", "is given together with fp_id"],
    ],
    [
      "both ids of a business",
      given({ kind: "business", fp_bid: "a", external_id: "b" }),
      ["both_ids", "external_id", "is given together with fp_bid"],
    ],
    ["fp_id blank", given({ fp_id: "  " }), ["blank", "fp_id", "is blank"]],
    ["fp_id with a slash", given({ fp_id: "a/b" }), ["slash", "fp_id", "has a slash"]],
    ["fp_id with spaces around", given({ fp_id: "a " }), ["outer_spaces", "fp_id", "has spaces around it"]],
    ["fp_id no text", given({ fp_id: 5 }), ["wrong_type", "fp_id", "is not text"]],
    [
      "fp_bid of a user",
      given({ fp_bid: "a" }),
      ["other_kind", "fp_bid", "is not for a user: give fp_id, or the kind business"],
    ],
    [
      "fp_id of a business",
      given({ kind: "business", fp_id: "a" }),
      ["other_kind", "fp_id", "is not for a business: give fp_bid"],
    ],
    [
      "external id with a space",
      given({ external_id: "a b" }),
      ["white_space", "external_id", "is one with white space or a control character"],
    ],
    ["external id no text", given({ external_id: {} }), ["wrong_type", "external_id", "is not text"]],
    [
      "external id of a business with a sign",
      given({ kind: "business", external_id: "a@b" }),
      [
        "character",
        "external_id",
        "has a character other than letters, digits, underscores, hyphens and periods",
      ],
    ],
    [
      "data too large a number",
      given({ fp_id: "a" }, { data: { n: { deep: [2 ** 53] } } }),
      ["inexact_number", "data.n", "is a number too large to arrive exactly: give it as text"],
    ],
    [
      "data with half a character",
      given({ fp_id: "a" }, { data: { n: { "\ud800": 1 } } }),
      ["lone_surrogate", "data.n", "has a lone surrogate"],
    ],
    [
      "vault without fp_id",
      given({ external_id: "a" }, { vault: { "id.dob": "x" } }),
      ["needs_fp_id", "vault.id.dob", needsFpId],
    ],
    [
      "vault of no identifier",
      given({ fp_id: "a" }, { vault: { "id.firstname": "x" } }),
      [
        "unknown_identifier",
        "vault.id.firstname",
        "is not a data identifier; accepted: id.first_name and the other identifiers of the group id",
      ],
    ],
    [
      "vault of a group that a user has not",
      given({ fp_id: "a" }, { vault: { "business.tin": "x" } }),
      [
        "identifier_group",
        "vault.business.tin",
        `is of the group business, which is not accepted here; accepted: ${NO_UPDATE}`,
      ],
    ],
    [
      "vault blank",
      given({ fp_id: "a" }, { vault: { "id.dob": " " } }),
      ["blank", "vault.id.dob", "is blank"],
    ],
    [
      "vault no integer",
      given({ fp_id: "a" }, { vault: { "custom.x": 1.5 } }),
      ["not_integer", "vault.custom.x", "is a number that is not an integer: give it as text"],
    ],
    [
      "vault of a business that is there",
      given({ kind: "business", fp_bid: "a" }, { vault: { "business.name": "A" } }),
      [
        "made_business",
        "vault.business.name",
        "is for a business that is there: no operation writes its vault",
      ],
    ],
    [
      "first data beside an external id",
      given({ kind: "business", external_id: "a" }, { vault: { "business.name": "A" } }),
      [
        "with_external_id",
        "vault.business.name",
        "is given together with external_id: a business is made with an id of yours or with first data, not both",
      ],
    ],
    [
      "first data of a person",
      given({ kind: "business" }, { vault: { "id.dob": "x" } }),
      [
        "identifier_group",
        "vault.id.dob",
        "is of the group id, which is not accepted here; accepted: business.*, custom.<name>",
      ],
    ],
    [
      "file without fp_id",
      given({ external_id: "a" }, { document: { "custom.x": "a" } }),
      ["needs_fp_id", "document.custom.x", needsFpId],
    ],
    [
      "file of a business",
      given({ kind: "business", fp_bid: "a" }, { document: { "custom.x": "a" } }),
      [
        "business_file",
        "document.custom.x",
        "is a file for a business: the service takes uploads for users only",
      ],
    ],
    [
      "file of a group that no client token takes",
      given({ fp_id: "a" }, { document: { "business.tin": "a" } }),
      [
        "identifier_group",
        "document.business.tin",
        `is of the group business, which is not accepted here; accepted: ${NO_UPDATE}`,
      ],
    ],
    [
      "file path blank",
      given({ fp_id: "a" }, { document: { "custom.x": " " } }),
      ["blank", "document.custom.x", "is blank"],
    ],
    [
      "file path no text",
      given({ fp_id: "a" }, { document: { "custom.x": 1 } }),
      ["not_path", "document.custom.x", "is not the path of a file"],
    ],
    [
      "value and file",
      given({ fp_id: "a" }, { vault: { "custom.x": "v" }, document: { "custom.x": "a" } }),
      ["value_too", "document.custom.x", "is given as a value too"],
    ],
  ])("%s", (_, row, [code, column, rule]) => {
    expect(problemsOf(row)).toEqual([{ code, column, rule }]);
  });

  it("lists everything that is wrong", () => {
    const row = given({ fp_id: "a ", external_id: "b c" }, { vault: { nope: 1 } });
    const columns = problemsOf(row).map(({ column }) => column);
    expect(columns).toEqual(["fp_id", "external_id", "external_id", "vault.nope"]);
  });

  it("names by what is right alone", () => {
    expect(nameOf({ fp_id: "a", external_id: "b c" })).toEqual({ kind: "user", fpId: "a", externalId: null });
    expect(nameOf({ kind: "x", external_id: "b" })).toEqual({ kind: null, fpId: null, externalId: "b" });
  });
});
