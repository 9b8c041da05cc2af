import { expect, test } from "vitest";
import { maskedJson } from "../../../src/domain/json/masked.js";

test.for([
  ['{"amount":"12.5O","pending":true}', '{"amount":"00.0x","pending":true}'],
  ['{"amount": -1e3, "category": null}', '{"amount": -0x0, "category": null}'],
  ['{"name":"Zoë O\'Brien 😀"}', '{"name":"xxx x\'xxxxx •"}'],
  ['{"iban":"CZ65 0800","tags":["rent","a:b"]}', '{"iban":"xx00 0000","tags":["xxxx","x:x"]}'],
  ['{"Jane Doe":1,"a\\"b":2}', '{"Xxxx Xxx":0,"x\\"x":0}'.replaceAll("X", "x")],
  ['{"description":"cut off in the mid', '{"description":"xxx xxx xx xxx xxx'],
  ['"https://bank/4711"', '"xxxxx://xxxx/0000"'],
  ["John Doe, not JSON", "xxxx xxx, xxx xxxx"],
] as const)("%s is shown as %s", ([text, shown]) => {
  expect(maskedJson(text)).toBe(shown);
});
