import { expect, test } from "vitest";
import { requestOf, requestRow, templateRow } from "../../../src/jobs/proxy/row.js";

test.each([
  [{ fp_id: "u" }, "id"],
  [{ id: "a/b" }, "id"],
  [{ id: "a", fp_id: "ü" }, "fp_id"],
  [{ id: "a", repeatable: "perhaps" }, "repeatable"],
  [{ id: "a", path_and_query: "v1" }, "path_and_query"],
  [{ id: "a", path_and_query: "/v 1" }, "path_and_query"],
  [{ id: "a", path_and_query: "/v1#x" }, "path_and_query"],
  [{ id: "a", method: "get" }, "method"],
  [{ id: "a", body: 7 }, "body"],
  [{ id: "a", body: "\ud800" }, "body"],
  [{ id: "a", body: { n: 2 ** 60 } }, "body"],
])("%j is refused, for its %s", (row, column) => {
  const { error } = requestRow.safeParse(row);
  expect(error?.issues.map(({ path }) => path[0])).toEqual([column]);
});

const template = { text: '{"a":"{{a}}","id":"{{id}}"}', form: "json" } as const;

test("a row's own body counts before the template's; JSON is sent as JSON", () => {
  const row = templateRow(template);
  expect(requestOf(row.parse({ id: "1", body: "own" }), template).body).toBe("own");
  expect(requestOf(row.parse({ id: "1", body: ["x", 1] }), template).body).toBe('["x",1]');
  expect(requestOf(row.parse({ id: "1", a: "x" }), template).body).toBe('{"a":"x","id":"1"}');
  expect(row.safeParse({ id: "1" }).error?.issues[0]?.path).toEqual(["a"]);
});

test("what is frozen is the request alone", () => {
  const given = { id: "1", fp_id: "u", repeatable: "yes", path_and_query: "/x", method: "PUT", a: "b" };
  expect(requestOf(templateRow(template).parse(given), template)).toEqual({
    ...{ id: "1", fp_id: "u", repeatable: true, path_and_query: "/x", method: "PUT" },
    body: '{"a":"b","id":"1"}',
  });
  expect(requestOf(requestRow.parse({ id: "1" }), undefined)).toEqual({ id: "1" });
});
