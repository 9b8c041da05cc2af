import fc from "fast-check";
import { expect, it } from "vitest";
import { canonicalJson, rawMembers } from "../../src/domain/json.js";

it.each<[unknown, string]>([
  [{ b: 1, a: [{ d: null, c: true }] }, '{"a":[{"c":true,"d":null}],"b":1}'],
  [{ Z: 1, a: 2, ä: 3 }, '{"Z":1,"a":2,"ä":3}'],
  ["text", '"text"'],
  [JSON.parse('{"x":1,"__proto__":{"y":2}}'), '{"__proto__":{"y":2},"x":1}'],
])("%j", (value, text) => expect(canonicalJson(value)).toBe(text));

it("says the same value as JSON does, whatever the order of its names", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value);
      expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(text));
      expect(canonicalJson(reversed(value))).toBe(canonicalJson(value));
    }),
  );
});

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

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, item]) => [name, reversed(item)]),
  );
}
