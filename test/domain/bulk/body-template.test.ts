import { expect, test } from "vitest";
import { bodyForm, filledBody, templateProblems } from "../../../src/domain/bulk/body-template.js";

test.each([
  ["application/json", "json"],
  ["application/vnd.api+json; charset=utf-8", "json"],
  ["application/x-www-form-urlencoded", "form"],
  ["text/plain", "text"],
  ["application/jsonl", "text"],
])("a body of %s is written as %s", (type, form) => {
  expect(bodyForm(type)).toBe(form);
});

const nasty = 'a"\\\n é & {x} %';

test("in JSON a text stands inside its quotes, anything else is a value", () => {
  const text = '{"s":"{{s}}","n":{{n}},"b":{{ b }},"o":{{o}},"z":{{z}},"two":"{{s}}-{{s}}"}';
  const row = { s: nasty, n: 7, b: false, o: { a: [1, "x"] }, z: null };
  const { two, ...values } = JSON.parse(filledBody({ text, form: "json" }, row));
  expect([values, two]).toEqual([row, `${nasty}-${nasty}`]);
  expect(templateProblems({ text, form: "json" }, row)).toEqual([]);
});

test("in a form it is percent-encoded, elsewhere it is as it is", () => {
  const form = filledBody({ text: "q={{s}}&n={{n}}", form: "form" }, { s: nasty, n: 7 });
  expect(Object.fromEntries(new URLSearchParams(form))).toEqual({ q: nasty, n: "7" });
  expect(filledBody({ text: "<{{s}}>", form: "text" }, { s: nasty })).toBe(`<${nasty}>`);
});

test("placeholders of the service stay, and a value is not read as a part of the template", () => {
  const text = "{{id.ssn9}} {{ fp_id_1.id.dob }} {{a}} {{b}}";
  expect(filledBody({ text, form: "text" }, { a: "{{b}}", b: "$&" })).toBe(
    "{{id.ssn9}} {{ fp_id_1.id.dob }} {{b}} $&",
  );
});

test.each<[string, "json" | "form" | "text", object, unknown[]]>([
  ["{{a}} {{b}}", "text", { a: "x" }, [["b", "missing"]]],
  ["{{a}}", "text", { a: "{{id.ssn9}}" }, [[null, "makes_placeholder"]]],
  ["{{{a}}}", "text", { a: "{id.ssn9}" }, [[null, "makes_placeholder"]]],
  ["{{a}}{{b}}", "text", { a: "{{id.", b: "ssn9}}" }, [[null, "makes_placeholder"]]],
  ["{{a}}", "form", { a: "{{id.ssn9}}" }, []],
  ["{{a}}", "json", { a: { b: [1] } }, []],
  ["{{a}}", "json", { a: { b: "{{id.ssn9}}" } }, [[null, "makes_placeholder"]]],
  ['{"x":"{{a}}"}', "json", { a: { b: "c" } }, [[null, "not_json"]]],
  ['{"x":{{a}}}', "json", { a: "text" }, [[null, "not_json"]]],
  ['{"x":{{id.ssn9}},"y":"{{a}}"}', "json", { a: "y" }, []],
  ["{{a}}", "text", { a: 1.5 }, [["a", "inexact_number"]]],
  ["{{a}}", "json", { a: 2 ** 53 }, [["a", "inexact_number"]]],
  ["{{a}}", "json", { a: [{ b: 2 ** 53 }] }, [["a", "inexact_number"]]],
  ["{{a}}", "json", { a: Number.POSITIVE_INFINITY }, [["a", "inexact_number"]]],
  ["{{a}}", "form", { a: "\ud800" }, [["a", "lone_surrogate"]]],
  ["{{toString}}", "text", {}, [["toString", "missing"]]],
])("%s as %s with %j: %j", (text, form, row, problems) => {
  const found = templateProblems({ text, form }, row as Record<string, unknown>);
  expect(found.map(({ column, code }) => [column, code])).toEqual(problems);
});
