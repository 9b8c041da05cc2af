import { expect, test } from "vitest";
import { accountStream } from "../../src/streams/accounts.js";
import { bankLinkStream } from "../../src/streams/bank-links.js";
import { exactText, readPage } from "../../src/streams/page-reading.js";
import { EnvelopeError } from "../../src/streams/raw-json.js";
import { transactionStream } from "../../src/streams/transactions.js";
import { rawRow } from "../helpers/sync/sync-harness.js";

const page = (created: string, rest = "") =>
  Buffer.from(`{"has_more":false,"transactions":{"created":[${created}],"updated":[],"removed":[]}${rest}}`);

test("counts entries, bad ones included, and names bad rows by list and index", () => {
  const reading = readPage(
    transactionStream,
    Buffer.from(
      `{"has_more":true,"cursor":null,"transactions":{"created":[${rawRow("a")},3],"updated":[null],"removed":["x",""]}}`,
    ),
  );
  expect(reading.entries).toEqual([2, 1, 2]);
  expect(reading.problems).toEqual([
    { list: "created", index: 1, reason: "not an object" },
    { list: "updated", index: 0, reason: "not an object" },
    { list: "removed", index: 1, reason: "blank" },
  ]);
  expect(reading.needsCleaning).toBe(true);
});

test.for([
  ["whole rows", rawRow("a"), false],
  ["an escaped half of a pair", rawRow("a", { description: '"\\udc00"' }), true],
  ["an escaped pair", rawRow("a", { description: '"\\ud83e\\udd50"' }), true],
  ["a bad row", rawRow(""), true],
  ["a field without a column", rawRow("a", { mcc: '"5411"' }), true],
  ["one within the enrichment", rawRow("a", { enrichment: '{"mcc":"5411"}' }), true],
] as const)("%s: whether SQL may read the page as it is", ([, row, needsCleaning]) => {
  expect(readPage(transactionStream, page(row)).needsCleaning).toBe(needsCleaning);
});

test("bytes that are not UTF-8 keep SQL from the page as it came", () => {
  const text = page(rawRow("a", { description: '"x#y"' }));
  text[text.indexOf("#")] = 0xff;
  const reading = readPage(transactionStream, text);
  expect(reading).toMatchObject({ needsCleaning: true, problems: [] });
  expect(Buffer.from(reading.text).toString()).toContain("x\ufffdy");
});

test("an id with bytes that are not UTF-8 is a bad row: two such ids would be read as one", () => {
  const text = Buffer.from(
    page(`${rawRow("t\u00e9")},${rawRow("t\u00e8")},${rawRow("t")}`).toString(),
    "latin1",
  );
  expect(readPage(transactionStream, text).problems.map(({ index }) => index)).toEqual([0, 1]);
});

test("an id of nothing that anybody sees is blank", () => {
  const ids = ["\u200b", "\ufeff", " \u2060 ", "\u0000", "\u2800", "\u3164"];
  const { problems } = readPage(transactionStream, page(ids.map((id) => rawRow(id)).join()));
  expect(problems.map(({ index, reason }) => [index, reason])).toEqual(
    ids.map((_, index) => [index, "transaction_id: blank"]),
  );
  expect(readPage(transactionStream, page(rawRow("a\u200b"))).problems).toEqual([]);
});

test("a number of the data provider that a double would change is read as its text", () => {
  const raw = '{"big":12345678901234567890123.45,"small":1.10}';
  const body = `{"accounts":[{"id":"a","link_id":"l","name":"n","raw_provider_data":${raw}}]}`;
  const read = JSON.parse(exactText(accountStream, body));
  expect(read.accounts[0].raw_provider_data).toEqual({ big: "12345678901234567890123.45", small: 1.1 });
});

test("names unknown fields of good rows, those within known objects too, and counts confidences that are not numbers", () => {
  const score = (confidence: string) => `{"value":"x","confidence":${confidence}}`;
  const enrichment = `{"category":${score('"0.9"')},"subcategory":${score('"high"')},"merchant":${score("true")},"processor":null}`;
  const reading = readPage(
    transactionStream,
    page(`${rawRow("a", { enrichment, more: "1", other: "{}" })},${rawRow("", { more: "1" })}`),
  );
  expect(reading).toMatchObject({
    unknownFields: new Set(["enrichment.merchant.value", "more", "other"]),
    unreadableScores: 2,
  });
});

test.for([
  ["[]", "body: not an object"],
  ['{"has_more":false}', "transactions: not an object"],
  [
    '{"has_more":"no","transactions":{"created":[],"updated":[],"removed":[]}}',
    "has_more: not true or false",
  ],
  [
    '{"has_more":false,"transactions":{"created":{},"updated":[],"removed":[]}}',
    "transactions.created: not a list",
  ],
  [
    '{"has_more":false,"cursor":{"next":7},"transactions":{"created":[],"updated":[],"removed":[]}}',
    "cursor.next: not text",
  ],
] as const)("%s breaks the contract, in words that hold no value", ([text, message]) => {
  expect(() => readPage(transactionStream, Buffer.from(text))).toThrow(EnvelopeError);
  expect(() => readPage(transactionStream, Buffer.from(text))).toThrow(message);
});

test("a body that is not JSON is torn, not against the contract", () => {
  expect(() => readPage(transactionStream, Buffer.from('{"has_more":'))).toThrow(SyntaxError);
});

test("a link whose id can't be part of a URL is bad, whatever else it holds", () => {
  const ids = ["a", "..", "a/b", "a\\b", "a\u0000", "\ud800"];
  const links = ids.map((id) => JSON.stringify({ id, state: "connected" })).join(",");
  const reading = readPage(bankLinkStream, Buffer.from(`{"links":[${links}]}`));
  expect(reading.problems.map(({ index }) => index)).toEqual([1, 2, 3, 4, 5]);
});
