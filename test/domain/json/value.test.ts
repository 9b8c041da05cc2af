import fc from "fast-check";
import { expect, it } from "vitest";
import { canonicalJson } from "../../../src/domain/json/value.js";

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

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, item]) => [name, reversed(item)]),
  );
}
