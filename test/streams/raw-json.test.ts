import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { rawParts } from "../../src/domain/json/text.js";
import {
  mayHoldSurrogates,
  mayRepeat,
  rawValue,
  repeatsKeyAlong,
  replaceLoneSurrogates,
} from "../../src/streams/raw-json.js";
import { stringText, valueText } from "./json-texts.js";

/** A parsed value with U+FFFD for each half of a surrogate pair, in keys too. */
function wellFormed(value: unknown): unknown {
  if (typeof value === "string") return value.replaceAll(/\p{Surrogate}/gu, "\ufffd");
  if (Array.isArray(value)) return value.map(wellFormed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [wellFormed(key), wellFormed(item)]));
}

describe("slices", () => {
  test("a slice is the value's own text, and means what JSON.parse says", () => {
    fc.assert(
      fc.property(valueText, fc.stringMatching(/^[ \n]{0,2}$/), (text, white) => {
        const document = `${white}{"x":${white}{"y":${white}${text}${white}},"z":0}`;
        const slice = rawValue(document, ["x", "y"]);
        expect(JSON.parse(slice ?? "")).toEqual(JSON.parse(text));
        expect(slice).toBe(text.trim());
        expect(rawValue(document, ["x", "nowhere"])).toBeUndefined();
        expect(rawValue(document, ["z", "y"])).toBeUndefined();
      }),
    );
  });

  test("elements are cut out in their own words and their order", () => {
    fc.assert(
      fc.property(fc.array(valueText, { maxLength: 6 }), (texts) => {
        const parts = [...rawParts(`[ ${texts.join(" ,\n")} ]`)];
        expect(parts.map(([, text]) => text)).toEqual(texts.map((text) => text.trim()));
      }),
    );
  });

  test("numbers are never rewritten", () => {
    const numbers = ["1.10", "1e5", "-0", "123456789012345678901234567890", "0.1000"];
    expect([...rawParts(`[${numbers.join(",")}]`)].map(([, text]) => text)).toEqual(numbers);
  });
});

describe("repeated keys", () => {
  test("along a path only, and the last of a repeated key is the value", () => {
    const json = '{"t":{"rows":[1]},"t":{"rows":[2],"rows":[3],"other":{"k":1,"k":2}}}';
    expect(repeatsKeyAlong(json, [])).toBe(true);
    expect(repeatsKeyAlong(json, ["t"])).toBe(true);
    expect(repeatsKeyAlong('{"t":{"rows":[3],"rows":[3]}}', ["t"])).toBe(true);
    expect(rawValue(json, ["t", "rows"])).toBe("[3]");
    expect(repeatsKeyAlong('{"t":{"rows":[{"k":1,"k":2}]}}', ["t"])).toBe(false);
  });
});

describe("halves of surrogate pairs", () => {
  test("become U+FFFD; whole pairs, backslashes and everything else stay as they are", () => {
    fc.assert(
      fc.property(valueText, (text) => {
        const fixed = replaceLoneSurrogates(text);
        expect(JSON.parse(fixed)).toEqual(wellFormed(JSON.parse(text)));
        expect(replaceLoneSurrogates(fixed)).toBe(fixed);
      }),
      { numRuns: 400 },
    );
  });

  test.for([
    ["\\ud800", "\\ufffd"],
    ["\\udc00\\ud800", "\\ufffd\\ufffd"],
    ["\\ud83e\\udd50", "\\ud83e\\udd50"],
    ["\\ud800\\ud83e\\udd50", "\\ufffd\\ud83e\\udd50"],
    ["\\\\ud800", "\\\\ud800"],
    ["\\\\\\ud800", "\\\\\\ufffd"],
    ["\\uD83E\\u0041", "\\ufffd\\u0041"],
  ] as const)("%s", ([text, fixed]) => {
    expect(replaceLoneSurrogates(`"${text}"`)).toBe(`"${fixed}"`);
  });

  test("a text that holds one is always seen to", () => {
    fc.assert(
      fc.property(stringText, (text) => {
        if (/\p{Surrogate}/u.test(JSON.parse(text) as string)) {
          expect(mayHoldSurrogates(Buffer.from(text))).toBe(true);
        }
      }),
      { numRuns: 400 },
    );
  });
});

test.each([
  ['{"accounts":[],"total":1}', false],
  ['{"accounts":[],"accounts":[]}', true],
  ['{"accounts":[],"\\u0061ccounts":[]}', true],
  ['{"accounts":[{"name":"\\u00e9\\u0026\\n"}],"total":1}', false],
  ['{"accounts":[{"of":"accounts"}]}', true],
  ["[]", false],
])("a key may be repeated in %s: %s", (text, may) => {
  expect(mayRepeat(text, ["accounts", "securities"])).toBe(may);
});
