import { expect, test } from "vitest";
import { withOtherFields } from "../../src/streams/other-fields.js";
import { knownFields } from "../../src/streams/row-shape.js";

const KNOWN = knownFields({ id: "VARCHAR", raw: "JSON", within: { a: "VARCHAR", deep: { b: "VARCHAR" } } });

test.for([
  ["nothing new", '{"id":"x", "within":{"a":null,"deep":null},"raw":{"more":1}}', undefined],
  [
    "numbers, digit for digit",
    '{"id":"x","n":12345678901234567.10,"m":1e5}',
    '{"m":1e5,"n":12345678901234567.10}',
  ],
  [
    "whole values, in a fixed order",
    '{"z":{"q":[1,{"a":"}"}]},"id":"x","b":null}',
    '{"b":null,"z":{"q":[1,{"a":"}"}]}}',
  ],
  [
    "within known objects, by their path",
    '{"within":{"c":1,"a":"x","deep":{"d":true}}}',
    '{"within.c":1,"within.deep.d":true}',
  ],
  ["a name that is its column's", '{"id":"x","other_fields":"theirs"}', '{"other_fields":"theirs"}'],
  ["a name in escapes and signs", '{"\\u006dcc":1,"a\\"b":2,"id":"x"}', '{"a\\"b":2,"mcc":1}'],
  ["a name of every object", '{"id":"x","__proto__":1,"constructor":2}', '{"__proto__":1,"constructor":2}'],
  ["a known object that is none", '{"id":"x","within":"text","new":0}', '{"new":0}'],
] as const)("%s", ([, row, others]) => {
  const text = withOtherFields(row, KNOWN);
  if (others === undefined) expect(text).toBe(row);
  const { other_fields: kept, ...rest } = JSON.parse(text) as Record<string, unknown>;
  expect(kept).toBe(others);
  // Known fields keep their values, and nothing else is beside them.
  const given = JSON.parse(row) as Record<string, unknown>;
  expect(Object.keys(rest).every((name) => KNOWN.fields.has(name))).toBe(true);
  for (const name of ["id", "raw"]) expect(rest[name]).toEqual(given[name]);
});
