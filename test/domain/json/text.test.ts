import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  formOf,
  parseExactly,
  rawMembers,
  withFieldsAsText,
  withNumbersAsText,
} from "../../../src/domain/json/text.js";

const MEMBERS: readonly (readonly [json: string, members: readonly (readonly [string, string])[]])[] = [
  ["{}", []],
  [' { "a" : 1 } ', [["a", "1"]]],
  [
    '{"big":123456789012345678901234567890,"decimal":0.10000000000000000001,"exponent":1E400}',
    [
      ["big", "123456789012345678901234567890"],
      ["decimal", "0.10000000000000000001"],
      ["exponent", "1E400"],
    ],
  ],
  [
    String.raw`{"a,\"b\\":"x\\\"},{","n":null,"t":true}`,
    [
      ['a,"b\\', String.raw`"x\\\"},{"`],
      ["n", "null"],
      ["t", "true"],
    ],
  ],
  [
    '{"o":{"p":[1,{"q":"}"}],"r":{}},"l":[ "a", 2 ]}',
    [
      ["o", '{"p":[1,{"q":"}"}],"r":{}}'],
      ["l", '[ "a", 2 ]'],
    ],
  ],
  ['{"twice":1,"twice":2}', [["twice", "2"]]],
  ['{"__proto__":7}', [["__proto__", "7"]]],
];

it.each(MEMBERS)("%s", (json, members) => expect([...rawMembers(json)]).toEqual(members));

it("gives each value of an object as the text that JSON.parse reads", () => {
  const spaces = fc.constantFrom(0, 1, 2);
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), spaces, (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      const read = [...rawMembers(text)].map(([name, json]) => [name, JSON.parse(json)]);
      expect(Object.fromEntries(read)).toEqual(JSON.parse(text));
    }),
  );
});

describe("parseExactly", () => {
  it.each([
    ["37.7749", 37.7749],
    ["-122", -122],
    ["0", 0],
    ["37.77490", "37.77490"],
    ["37.774900000000000000001", "37.774900000000000000001"],
    ["-0", "-0"],
    ["1e2", "1e2"],
    ["9007199254740993", "9007199254740993"],
  ])("gives %s as %s", (text, value) => {
    expect(parseExactly(`{"a":[${text}]}`, "as written")).toEqual({ a: [value] });
  });

  it.each([
    ["0.10", 0.1],
    ["100.0", 100],
    ["1e2", 100],
    ["0.30000000000000004", 0.30000000000000004],
    ["12345678901234567000", 12345678901234567000],
    ["9007199254740993", "9007199254740993"],
    ["1.234567890123456789", "1.234567890123456789"],
    ["1e999", "1e999"],
    ["1e-999", "1e-999"],
  ])("by value, gives %s as %s", (text, value) => {
    expect(parseExactly(`{"a":[${text}]}`, "by value")).toEqual({ a: [value] });
  });

  it.each(['"1.50"', String.raw`"a \" 1.50 \\"`, String.raw`"\\\" 1.50"`, '"[1.50,2.50]"'])(
    "leaves numbers in a text alone: %s",
    (text) =>
      expect(parseExactly(`{${text}:${text},"b":1.50}`, "as written")).toEqual({
        [JSON.parse(text)]: JSON.parse(text),
        b: "1.50",
      }),
  );

  it.each(['{"a":1-2}', '{"a":01}', '{"a":1.}', '{"a":+1.0}', '{"a":1.0', ""])("refuses %s", (text) => {
    expect(() => parseExactly(text, "as written")).toThrow(SyntaxError);
  });

  it("takes a text with millions of escapes", () => {
    const long = "\n".repeat(5_000_000);
    expect(parseExactly(`{"a":${JSON.stringify(long)},"b":1.50}`, "as written")).toEqual({
      a: long,
      b: "1.50",
    });
  });
});

const ofA = (number: string, key: string | undefined) => (key === "a" ? number : undefined);

describe("withNumbersAsText", () => {
  it.each([
    ['{"a":1}', '{"a":"1"}'],
    ['{"b":1,"a": -0.50e+3 ,"c":2}', '{"b":1,"a": "-0.50e+3" ,"c":2}'],
    ['{"b":"\\"a\\":1","a":"1"}', '{"b":"\\"a\\":1","a":"1"}'],
    ['{"\\u0061":1,"b\\\\":1}', '{"\\u0061":"1","b\\\\":1}'],
    ['{"a":{"b":1},"a":[1]}', '{"a":{"b":1},"a":["1"]}'],
  ])("%s is read as %s", (json, text) => {
    expect(withNumbersAsText(json, ofA)).toBe(text);
  });

  it.each(['{"a":01}', '{"a":1..2}', '{"a":1-2}', '{"a":+1}', '{"a":1', '{"a":.5}'])(
    "%s is no JSON before and after",
    (torn) => {
      expect(() => JSON.parse(withNumbersAsText(torn, ofA))).toThrow(SyntaxError);
    },
  );

  it("takes a text with millions of escapes", () => {
    const text = JSON.stringify({ b: "\n".repeat(5_000_000), a: 1 });
    expect(JSON.parse(withNumbersAsText(text, ofA)).a).toBe("1");
  });
});

describe("withFieldsAsText", () => {
  const AB = new Set(["a", "b_c"]);
  const asIs = (number: string) => number;

  it.each([
    ['{"a":1,"b":2,"b_c" : -0.50e+3 ,"aa":4}', '{"a":"1","b":2,"b_c" : "-0.50e+3" ,"aa":4}'],
    [
      '{"x":"\\"a\\":1","a":12345678901234567.1234567891}',
      '{"x":"\\"a\\":1","a":"12345678901234567.1234567891"}',
    ],
    ['{"x\\"a":1,"y\\\\":{"a":2}}', '{"x\\"a":1,"y\\\\":{"a":"2"}}'],
    ['{"\\u0061":1,"a":2}', '{"\\u0061":"1","a":"2"}'],
    ['{"a":"1","b":"a","a":null}', '{"a":"1","b":"a","a":null}'],
  ])("%s is read as %s", (json, text) => {
    JSON.parse(json);
    expect(withFieldsAsText(json, AB, asIs)).toBe(text);
  });

  it.each(['{"a":01}', '{"a":1..2}', '{"a":1-2}', '{"a":+1}', '{"a":1', '{"a":.5}', '{"a":1e}', '{"a":1"}'])(
    "%s is no JSON before and after",
    (torn) => {
      expect(() => JSON.parse(withFieldsAsText(torn, AB, asIs))).toThrow(SyntaxError);
    },
  );

  it("does what the slower one does", () => {
    const text = fc.array(fc.constantFrom('"', "\\", "a", "b_c", ":", ",", "1", "é"), { maxLength: 6 });
    const key = fc.oneof(
      fc.constantFrom("a", "b_c"),
      text.map((parts) => parts.join("")),
    );
    const value = fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer(), key);
    const row = fc.dictionary(key, fc.oneof(value, fc.dictionary(key, value)));
    const marked = (number: string) => `<${number}>`;
    const slow = (json: string) =>
      withNumbersAsText(json, (number, name) =>
        name !== undefined && AB.has(name) ? marked(number) : undefined,
      );
    fc.assert(
      fc.property(fc.array(row), fc.constantFrom(0, 1), (rows, space) => {
        const json = JSON.stringify(rows, null, space);
        expect(withFieldsAsText(json, AB, marked)).toBe(slow(json));
      }),
    );
  });
});

describe("the form of a text", () => {
  it.each([
    ["1", false, 0],
    ["{}", false, 1],
    ['{"a":{"a":1},"b":[{"a":1},{"a":2}]}', false, 3],
    ['{"a":1,"a":1}', true, 1],
    [String.raw`{"a":1,"\u0061":1}`, true, 1],
    ['{"__proto__":1,"__proto__":2}', true, 1],
    ['{"x":[{"a":{},"b":1,"a":2}]}', true, 4],
    ['{"a":"{[\\"{","b":"a","c":":"}', false, 1],
    ['[["a","a"],{"a":["a"]}]', false, 3],
  ])("%s", (json, repeatsKey, depth) => {
    JSON.parse(json);
    expect(formOf(json)).toEqual({ repeatsKey, depth });
  });

  it("of any value that was parsed repeats no key", () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => !formOf(JSON.stringify(value)).repeatsKey));
  });
});
