import { describe, expect, it } from "vitest";
import { withoutValues } from "../../../src/domain/service/quoted-values.js";

type Case = [what: string, text: string, values: unknown[], left: string];

describe("values are taken out of a message", () => {
  it.each<Case>([
    ["a text", "no such address: 12 Elm St.", ["12 Elm St."], "no such address: [value]"],
    ["the longest first", "Anna Annason", ["Anna", "Anna Annason"], "[value]"],
    ["nested ones", "bad 4242 and x@y.z", [{ a: ["x@y.z"], b: 4242 }], "bad [value] and [value]"],
    ["with spaces around", "bad Bob!", [" Bob "], "bad [value]!"],
    ["in another case", "no user JOHN SMITHERS", ["John Smithers"], "no user [value]"],
    ["with other spaces", "no user John\u00a0  Smithers.", ["John Smithers"], "no user [value]."],
    ["without accents", "name Zoe Dvorak", ["Zoë Dvořák"], "name [value]"],
    ["with accents of two signs", "name Zoe\u0308 Dvořák", ["Zoë Dvořák"], "name [value]"],
    ["a number with other signs", "phone +1 (415) 555-0100 taken", ["+14155550100"], "phone [value] taken"],
    ["a number without its signs", "ssn 123456789", ["123-45-6789"], "ssn [value]"],
    ["the last digits of a number", "ssn ending in 6789", ["123-45-6789"], "ssn ending in [value]"],
    ["a number behind stars", "ssn ***-**-6789", ["123456789"], "ssn ***-**-[value]"],
    ["a decimal number as a number", "amount 12.5 is wrong", ["12.50"], "amount [value] is wrong"],
    ["a number of the body", "n 17.25 is wrong", [17.25], "n [value] is wrong"],
    ["the beginning of one", "bad '1600 Pennsylv...'", ["1600 Pennsylvania Avenue"], "bad '[value]...'"],
    ["the end of one", "bad …nia Avenue", ["1600 Pennsylvania Avenue"], "bad …[value]"],
    ["a long part of one", "bad 1600 Pennsylvania!", ["1600 Pennsylvania Avenue"], "bad [value]!"],
    ["one inside of a word", "key x_annason_y", ["Annason"], "key x_[value]_y"],
    ["a short one inside of a word, alike", "id xAnny", ["Ann"], "id x[value]y"],
    ["two beside each other", "AnnaSmith", ["Anna", "Smith"], "[value][value]"],
    ["every one", "Bob, bob and BOB", ["Bob"], "[value], [value] and [value]"],
    ["one of another script", "имя Иван Петров", ["иван петров"], "имя [value]"],
    ["a country", 'country "US" is not supported', ["US"], 'country "[value]" is not supported'],
    ["a short one in quotes, in another case", "country 'us' is wrong", ["US"], "country '[value]' is wrong"],
    ["a digit that is a word", "at least 5 of them", [5], "at least [value] of them"],
  ])("%s", (_, text, values, left) => expect(withoutValues(text, values)).toBe(left));
});

describe("what is not a value stays", () => {
  it.each<Case>([
    ["nothing given", "fine", [null, true, undefined, "", " ", "--"], "fine"],
    ["a short one inside of words", "status of US users", ["us"], "status of US users"],
    ["a short one that is another word", "not in the list", ["IN", "OR", "T"], "not in the list"],
    ["a name inside of words", "validation can't start", ["Ali", "Art"], "validation can't start"],
    ["letters of two words", "it is the one", ["isth"], "it is the one"],
    ["a word that begins as a value", "customer not found", ["customer-0042"], "customer not found"],
    ["true and false", "true is not text", [true, false], "true is not text"],
  ])("%s", (_, text, values, left) => expect(withoutValues(text, values)).toBe(left));
});

it("thousands of values cost no noticeable time", () => {
  const values = Array.from({ length: 6_000 }, (_, at) => ({ id: `tx_${at}`, note: `note number ${at}` }));
  expect(withoutValues(`${"no such thing ".repeat(500)}tx_5999`, values)).toContain("thing [value]");
});
