import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type IdentifierUse,
  identifierProblem,
  VAULT_IDENTIFIERS,
} from "../../../../src/domain/service/vault/vault-identifier.js";

it("the vault knows the identifiers of the document", () => {
  const count = (group: string) => VAULT_IDENTIFIERS.filter((name) => name.startsWith(`${group}.`)).length;
  expect([count("id"), count("investor_profile"), count("document"), count("business")]).toEqual([
    23, 13, 3, 14,
  ]);
});

const ACCEPTED: Readonly<Record<IdentifierUse, readonly string[]>> = {
  client_token: ["id", "custom", "investor_profile", "document"],
  decrypt: ["id", "custom", "investor_profile", "document"],
  update: ["id", "custom", "investor_profile", "document"],
  create_business: ["business", "custom"],
  upload: ["id", "business", "custom", "document"],
  ingress: ["id", "business", "custom", "investor_profile", "document"],
};

describe.each(Object.entries(ACCEPTED))("for %s", (use, groups) => {
  it("each use accepts exactly its groups", () => {
    const sample = [
      "id.dob",
      "custom.a b",
      "investor_profile.net_worth",
      "document.id_card.front.image",
      "business.tin",
    ];
    const accepted = sample.filter((name) => identifierProblem(use as IdentifierUse, name) === undefined);
    expect(accepted.map((name) => name.split(".")[0]).sort()).toEqual([...groups].sort());
  });
});

describe("an upload takes two identifiers of investor_profile", () => {
  it.each(VAULT_IDENTIFIERS.filter((name) => name.startsWith("investor_profile.")))("%s", (name) => {
    const taken = /employment_status|occupation/.test(name);
    expect(identifierProblem("upload", name) === undefined).toBe(taken);
  });
});

describe("what is not an identifier says so", () => {
  it.each([
    "",
    "id",
    "id.",
    "id.ssn",
    "ID.dob",
    "id.dob ",
    "id.dob.x",
    "custom",
    "custom.",
    "custom. ",
    "custom.a\nb",
  ])("%j", (name) => expect(identifierProblem("update", name)).toBeDefined());
});

it("a custom name may be anything that can be said in one line", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", minLength: 1 }), (name) => {
      const plain = name.trim() !== "" && !/[\p{Cc}\p{Surrogate}]/u.test(name);
      expect(identifierProblem("decrypt", `custom.${name}`) === undefined).toBe(plain);
    }),
  );
});
