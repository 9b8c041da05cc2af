import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  parseTransform,
  transform,
  transformProblem,
  transformText,
} from "../../../src/domain/service/transform.js";

describe("the builder writes each form of the document", () => {
  it.each<[string, string]>([
    [transform.toLowercase(), "to_lowercase"],
    [transform.toUppercase(), "to_uppercase"],
    [transform.toAscii(), "to_ascii"],
    [transform.prefix(3), "prefix(3)"],
    [transform.suffix(4), "suffix(4)"],
    [transform.replace("a", "b"), "replace('a','b')"],
    [transform.replace("-", ""), "replace('-','')"],
    [transform.replace("it's", "\\"), String.raw`replace('it\'s','\\')`],
    [transform.dateFormat("%Y-%m-%d", "%d.%m.%Y"), "date_format('%Y-%m-%d','%d.%m.%Y')"],
    [transform.hmacSha256("k"), "hmac_sha256('k')"],
    [transform.encrypt("ecies_p256", "MFk="), "encrypt('ecies_p256','MFk=')"],
    [transform.wrapQuotes(), "wrap_quotes"],
  ])("%s", (built, text) => {
    expect(built).toBe(text);
    expect(transformProblem(text)).toBeUndefined();
  });
});

describe("what is no transform says why, without quoting it", () => {
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
    expect(parseTransform(text)).toBeUndefined();
  });

  it("the builder refuses the same, and quotes no key", () => {
    expect(() => transform.prefix(-1)).toThrow(RangeError);
    expect(() => transform.prefix(Number.NaN)).toThrow(RangeError);
    expect(() => transform.encrypt("", "secret_key")).toThrow(expect.not.stringContaining("secret_key"));
  });
});

it("whatever texts are put in, the same come out", () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1, unit: "grapheme" }), fc.string({ unit: "binary" }), (from, to) => {
      const text = transform.replace(from, to);
      expect(parseTransform(text)).toEqual({ name: "replace", arguments: [from, to] });
    }),
  );
});

it("reading and writing again gives the canonical form, once and for all", () => {
  const words = fc.constantFrom("prefix", "replace", "hmac_sha256", "(", ")", "'", "\\", ",", " ", "3", "a");
  fc.assert(
    fc.property(fc.array(words, { maxLength: 12 }), (pieces) => {
      const parsed = parseTransform(pieces.join(""));
      if (parsed !== undefined) expect(parseTransform(transformText(parsed))).toEqual(parsed);
    }),
  );
});
