import { expect, test } from "vitest";
import { newFieldsOf, readAnswer, readObjectText } from "../../../src/api/http/answer.js";
import {
  decryptVault,
  getBusinessInsights,
  getOnboarding,
  getUser,
  listUserOnboardings,
  updateVault,
} from "../../../src/api/operations/index.js";

const reply = (text: string, encoding: BufferEncoding = "utf8") => ({
  status: 200,
  headers: { "content-length": String(text.length) },
  body: Buffer.from(text, encoding),
  bytes: text.length,
  durationMs: 1,
  request: { path: {}, query: {}, headers: {}, body: undefined },
});

test.each([
  ["at its top", '{"id.email":"a@b.example","id.email":"c@d.example"}'],
  ["spelled in another way", '{"id.email":"a@b.example","\\u0069d.email":"c@d.example"}'],
  ["within a value", '{"custom.plan":{"a":1,"a":2}}'],
])("a vault answer with a key twice, %s, is refused, and no value is told", (_, text) => {
  for (const read of [readAnswer, readObjectText]) {
    expect(() => read(decryptVault, reply(text))).toThrow(
      expect.objectContaining({ name: "SchemaError", expectation: "expected each key once" }),
    );
  }
  expect(() => readAnswer(getUser, reply(text))).toThrow(/each key once/);
});

test("a name or a person of a business that does not say who gave it is kept", () => {
  const text = JSON.stringify({
    ...{ addresses: [], registrations: [] },
    names: [{ name: "Acme", submitted: null }],
    people: [{ name: "Ada" }],
  });
  expect(readAnswer(getBusinessInsights, reply(text))).toMatchObject({ names: [{ submitted: null }] });
});

test("a list whose rows come twice under one name is refused: the last would hide the first", () => {
  const text = '{"data":[{"id":"ob_1"}],"meta":{},"data":[]}';
  expect(() => readAnswer(listUserOnboardings, reply(text))).toThrow(/each key once/);
});

test("a value that is not UTF-8 is refused, and not kept with another character", () => {
  const text = '{"id.first_name":"Jos\u00e9"}';
  expect(readAnswer(decryptVault, reply(text))).toEqual({ "id.first_name": "José" });
  for (const read of [readAnswer, readObjectText])
    expect(() => read(decryptVault, reply(text, "latin1"))).toThrow(/expected UTF-8/);
});

test("an answer that could not be written down again is refused", () => {
  const nested = (depth: number) => `{"id":"ob_1","output":{"a":${"[".repeat(depth)}${"]".repeat(depth)}}}`;
  expect(readAnswer(getOnboarding, reply(nested(198)))).toMatchObject({ id: "ob_1" });
  expect(() => readAnswer(getOnboarding, reply(nested(6_000)))).toThrow(
    expect.objectContaining({ name: "SchemaError", expectation: expect.stringContaining("at most 200") }),
  );
});

test("the output of a playbook has every digit", () => {
  const text = '{"id":"ob_1","output":{"application":9007199254740993,"score":0.90}}';
  const { output } = readAnswer(getOnboarding, reply(text));
  expect(JSON.stringify(output)).toBe('{"application":"9007199254740993","score":0.9}');
});

test("of new fields names alone are told: a member may be named by an id", () => {
  const text = JSON.stringify({ accepted: 2, fp_id_7p793EF07xKXHqAeg5VGPj: {}, "ada@example.com": 1 });
  expect(newFieldsOf(updateVault, reply(text))).toEqual(["accepted", "?", "?"]);
});
