import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalTransform, transformProblem } from "../../../src/domain/service/transform.js";

describe("each form of the document is accepted, and rewritten in its canonical form", () => {
  it.each<[string, string]>([
    ["to_lowercase", "to_lowercase"],
    ["to_uppercase", "to_uppercase"],
    ["to_ascii", "to_ascii"],
    ["prefix( 3 )", "prefix(3)"],
    ["suffix(4)", "suffix(4)"],
    ["replace('a', 'b')", "replace('a','b')"],
    ["replace('-','')", "replace('-','')"],
    [String.raw`replace('it\'s','\\')`, String.raw`replace('it\'s','\\')`],
    ["date_format('%Y-%m-%d' ,'%d.%m.%Y')", "date_format('%Y-%m-%d','%d.%m.%Y')"],
    ["hmac_sha256('k')", "hmac_sha256('k')"],
    ["encrypt('ecies_p256','MFk=')", "encrypt('ecies_p256','MFk=')"],
    ["wrap_quotes", "wrap_quotes"],
  ])("%s", (text, canonical) => {
    expect(transformProblem(text)).toBeUndefined();
    expect(canonicalTransform(text)).toBe(canonical);
  });
});

describe("what is not a transform says why, without quoting it", () => {
  it.each<[string, RegExp]>([
    ["", /not a known transform/],
    ["lowercase", /not a known transform/],
    ["toString", /not a known transform/],
    ["to_lowercase()", /arguments where none/],
    ["prefix", /0 arguments instead of 1/],
    ["prefix()", /not quoted texts or numbers/],
    ["prefix(-1)", /not quoted texts or numbers/],
    ["prefix(1.5)", /not quoted texts or numbers/],
    ["prefix('3')", /argument 1 is not a whole number/],
    ["replace('secret')", /1 arguments instead of 2/],
    ["replace('','secret')", /argument 1 is empty/],
    ["replace(secret,'b')", /not quoted texts or numbers/],
    ["replace('secret','b'", /not a known transform/],
    ["replace('it's secret','b')", /not quoted texts or numbers/],
    ["replace('a','b','secret')", /3 arguments instead of 2/],
    ["hmac_sha256(5)", /argument 1 is not a quoted text/],
    ["hmac_sha256('secret'),", /not a known transform/],
    ["encrypt('rsa','')", /argument 2 is empty/],
    ["wrap_quotes('secret')", /arguments where none/],
  ])("%s", (text, problem) => {
    expect(transformProblem(text)).toMatch(problem);
    expect(transformProblem(text)).not.toContain("secret");
    expect(canonicalTransform(text)).toBe(text);
  });
});

it("any text fits between quotes once it is escaped", () => {
  const escaped = (text: string) => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
  fc.assert(
    fc.property(fc.string({ minLength: 1, unit: "grapheme" }), fc.string({ unit: "binary" }), (from, to) => {
      const text = `replace(${escaped(from)},${escaped(to)})`;
      expect(transformProblem(text)).toBeUndefined();
      expect(canonicalTransform(text.replace("(", "( "))).toBe(text);
    }),
  );
});

it("the canonical form of a canonical form is itself", () => {
  const words = fc.constantFrom("prefix", "replace", "hmac_sha256", "(", ")", "'", "\\", ",", " ", "3", "a");
  fc.assert(
    fc.property(fc.array(words, { maxLength: 12 }), (pieces) => {
      const canonical = canonicalTransform(pieces.join(""));
      expect(canonicalTransform(canonical)).toBe(canonical);
    }),
  );
});
