import { expect, test } from "vitest";
import { TakenFields } from "../../../src/jobs/kyb/rows.js";

test("notes the fields of an object by their paths, in the order of the columns", () => {
  const taken = new TakenFields();
  expect(taken.take({ b: null, c: false, z: 1, d: [] }, ["a", "b", "c"], "x.")).toEqual({
    a: null,
    b: null,
    c: false,
  });
  expect(taken.columns).toEqual({
    absent: '["x.a"]',
    nulls: '["x.b"]',
    other_fields: '{"x.d":[],"x.z":1}',
  });
});

test.each([undefined, null])("notes nothing of the fields of %s", (object) => {
  const taken = new TakenFields();
  expect(taken.take(object, ["a"])).toEqual({ a: null });
  expect(taken.columns).toEqual({ absent: "[]", nulls: "[]", other_fields: null });
});

test("keeps a field whose name an object has by nature", () => {
  const taken = new TakenFields();
  taken.take(JSON.parse('{"__proto__":{"a":1},"constructor":2}'), ["toString"]);
  expect(taken.columns).toEqual({
    absent: '["toString"]',
    nulls: "[]",
    other_fields: '{"__proto__":{"a":1},"constructor":2}',
  });
});
