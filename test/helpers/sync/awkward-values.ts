// What the service says of a transaction, good and bad, with what it is to become.
import { rawRow } from "./sync-harness.js";

export const BLANK_IDS = [rawRow(""), rawRow(" \t\u00a0"), '{"account_id":"acc_1" , "amount" : "1.10"}'];

export const AMOUNTS: Readonly<Record<string, string>> = {
  "0.10": "0.1000000000",
  "-1234567890.12": "-1234567890.1200000000",
  "12.345": "12.3450000000",
  "500": "500.0000000000",
  "999999999999999999.9999999999": "999999999999999999.9999999999",
  "0.0000000001": "0.0000000001",
  "9007199254740993.0000000001": "9007199254740993.0000000001",
  "-0.00": "0.0000000000",
  "0001.5": "1.5000000000",
  "12345678901234.5": "12345678901234.5000000000",
};
/** JSON numbers, which are amounts by their digits. */
export const NUMBERS: Readonly<Record<string, string>> = {
  "5.10": "5.1000000000",
  "9007199254740993.10": "9007199254740993.1000000000",
  "1e-7": "0.0000001000",
};
export const NO_AMOUNTS = [
  '"1e3"',
  '"+5"',
  '" 5"',
  '"1_000"',
  '"1,000.00"',
  "1e-11",
  "null",
  '""',
  '"0.12345678901"',
  '"."',
  '"1."',
  '"٣"',
  '"NaN"',
];

export const CONFIDENCES: readonly (readonly [string, string | null])[] = [
  ["0.91", "0.9100000000"],
  ['"0.91"', "0.9100000000"],
  ["1", "1.0000000000"],
  ["1e-3", "0.0010000000"],
  ["0.12345678905", "0.1234567891"],
  ['"high"', null],
  ["null", null],
  ["{}", null],
  ["1e400", null],
  ['"\\ud800"', null],
];

export const TIMES: readonly (readonly [string, string | null, string | null])[] = [
  ["null", null, null],
  ['"2026-11-01T09:15:00Z"', "2026-11-01T09:15:00Z", "2026-11-01T09:15:00.000000Z"],
  ['"2026-11-01T09:15:00.1234569+02:00"', "2026-11-01T09:15:00.1234569+02:00", "2026-11-01T07:15:00.123456Z"],
  ['"2026-11-01T23:59:59-0800"', "2026-11-01T23:59:59-0800", "2026-11-02T07:59:59.000000Z"],
  ['"2026-11-01T09:15:00"', "2026-11-01T09:15:00", null],
  ['"2026-11-01"', "2026-11-01", null],
  ['"2026-02-30T09:15:00Z"', "2026-02-30T09:15:00Z", null],
  ['"yesterday"', "yesterday", null],
  ["1793523300", "1793523300", null],
  ['{"at":1}', '{"at":1}', null],
];

export const WRONG = [
  ["date", '"2026-02-30"', "date: not a day YYYY-MM-DD"],
  ["date", '"2026-11-01T25:00:00Z"', "date: not a day YYYY-MM-DD"],
  ["type", '"DEBIT"', "type: not debit or credit"],
  ["currency", '" "', "currency: blank"],
  ["account_id", "null", "account_id: not text"],
  ["enrichment", '"x"', "enrichment: not an object"],
  ["pending", '"false"', "pending: not true or false"],
] as const;
export const WRONG_ROWS = WRONG.map(([field, value], n) => rawRow(`bad-${n}`, { [field]: value }));

export const REPEATED = rawRow("twice").replace("{", '{"amount":"1.00",');
export const REPEATED_DEEP = rawRow("deep", {
  enrichment: '{"category":{"value":"a","value":"b","confidence":1}}',
});

const EMPTY = '"created":[],"updated":[],"removed":[]';
const ROWS = `"created":[${rawRow("t")}],"updated":[],"removed":[]`;
export const ENVELOPES: Readonly<Record<string, string>> = {
  transactions: `"transactions":{${EMPTY}},"transactions":{${ROWS}}`,
  transactions_last: `"transactions":{${ROWS}},"transactions":{${EMPTY}}`,
  created: `"transactions":{"created":[],${ROWS}}`,
  created_last: `"transactions":{"created":[${rawRow("t")}],${EMPTY}}`,
};

export const TEXTS = [
  "a\u0000b",
  "'; drop table x; --",
  "line\r\nend\u2028",
  "%s {} $x",
  "x".repeat(200_000),
  "",
  " ",
];
export const IDS = ["it's", 'a"b', " x", "日本", "a\u0000b", "a%2Fb", "a/b", "x".repeat(3_000)];
export const DEEP = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
