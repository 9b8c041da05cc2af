import { expect, test } from "vitest";
import { csvLine } from "../../src/lake/csv-line.js";

test("values come as RFC 4180 has them, and formulas as text", () => {
  expect(csvLine(["a,b", 'q"q', "x\ny", 1, true, null, ""])).toBe('"a,b","q""q","x\ny",1,true,,\r\n');
  expect(csvLine(["=1+1", "+1", "-1", "@x", "\t=1"])).toBe("'=1+1,'+1,'-1,'@x,\"'\t=1\"\r\n");
});

// A spreadsheet with a comma as its decimal mark splits there, and the rest of the line moves by a column.
test.each(["Smith; Sons", "a\tb"])("a text that spreadsheets split elsewhere is quoted: %j", (text) => {
  expect(csvLine([text, "next"])).toBe(`"${text}",next\r\n`);
});
