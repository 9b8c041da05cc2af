import { expect, test } from "vitest";
import { csvLine } from "../../src/lake/csv-line.js";

test("values come as RFC 4180 has them, and formulas as text", () => {
  expect(csvLine(["a,b", 'q"q', "x\ny", 1, true, null, ""])).toBe('"a,b","q""q","x\ny",1,true,,\r\n');
  expect(csvLine(["=1+1", "+1", "-1", "@x", "\t=1"])).toBe("'=1+1,'+1,'-1,'@x,'\t=1\r\n");
});
