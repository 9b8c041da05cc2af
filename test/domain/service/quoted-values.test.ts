import { describe, expect, it } from "vitest";
import { withoutValues } from "../../../src/domain/service/quoted-values.js";

type Case = [what: string, text: string, values: unknown[], left: string | undefined];

describe("words that may quote a value are hidden", () => {
  it.each<Case>([
    ["a text", "no such address: 12 Elm St.", ["12 Elm St."], "no such address: [value]."],
    ["nested ones", "bad 4242 and x@y.z", [{ a: ["x@y.z"], b: 4242 }], "bad [value] and [value]"],
    ["in another case", "no user JOHN SMITHERS", ["John Smithers"], "no user [value]"],
    ["without accents", "name Zoe Dvorak", ["Zoë Dvořák"], "name [value]"],
    ["with accents of two signs", "name Zoe\u0308 Dvořák", ["Zoë Dvořák"], "name [value]"],
    ["a number with other signs", "phone (415) 555 taken", ["+1415555"], "phone ([value] taken"],
    ["the last digits of a number", "ssn ending in 6789", ["123-45-6789"], "ssn ending in [value]"],
    ["a decimal number as a number", "amount 12.5 is wrong", ["12.50"], "amount [value].5 is wrong"],
    [
      "a part of one",
      "bad 'Jean-...' and ''Neil'",
      ["Jean-Luc", "O'Neil"],
      "bad '[value]-...' and ''[value]'",
    ],
    ["one inside of a word", "key x_annason_y, xAnny", ["Annason", "Ann"], "key x_[value]_y, [value]"],
    ["letters alone", "name A n n a", ["Hannah"], "name [value]"],
    ["of another script", "имя Иван, 名前山田は", ["иван", "山田"], "имя [value]"],
    ["a country", 'country "US" is not supported', ["US"], 'country "[value]" is not supported'],
    ["in doubt a word of the service", "start in the list", ["Art", "IN"], "[value] the list"],
  ])("%s", (_, text, values, left) => expect(withoutValues(text, values)).toBe(left));
});

describe("what is not a value stays", () => {
  it.each<Case>([
    ["nothing given", "fine", [null, true, undefined, "", " ", "--"], "fine"],
    ["a short one inside of words", "status of accounts", ["us"], "status of accounts"],
    ["a word that begins as a value", "customers not found", ["customer-0042"], "[value] not found"],
    ["what is hidden already", "[value] is no value", ["value"], "[value] is no [value]"],
  ])("%s", (_, text, values, left) => expect(withoutValues(text, values)).toBe(left));
});

it.each([
  ["an escape of JSON", "name O\\u0027Neil"],
  ["an escape of HTML", "name O&#39;Neil"],
  ["an escape of an address", "name O%27Neil"],
  ["an invisible sign", "name O\u200b'Neil"],
  ["a control sequence", "\u001b[31mname"],
])("nothing is shown of a text with %s", (_, text) => {
  expect(withoutValues(text, ["O'Neil"])).toBeUndefined();
});

it("nothing is shown beside more than 200 values, or 64 KB of them", () => {
  const values = Array.from({ length: 200 }, (_, at) => `v${at}`);
  expect(withoutValues("not found", values)).toBe("not found");
  expect(withoutValues("not found", [...values, "x"])).toBeUndefined();
  expect(withoutValues("not found", ["x".repeat(64 * 1024)])).toBe("not found");
  expect(withoutValues("not found", ["x".repeat(64 * 1024 + 1)])).toBeUndefined();
});
