import { expect, test } from "vitest";
import { readAnswer, readObjectText } from "../../../src/api/http/answer.js";
import { decryptVault, getBusinessInsights, getUser } from "../../../src/api/operations/index.js";

const reply = (text: string) => ({
  status: 200,
  headers: { "content-length": String(text.length) },
  body: Buffer.from(text),
  bytes: text.length,
  durationMs: 1,
  asked: { path: {}, query: {}, headers: {}, body: undefined },
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
