import { describe, expect, it } from "vitest";
import { parseExactly } from "../../../src/api/http/exact-numbers.js";

describe("parseExactly", () => {
  it.each([
    ["37.7749", 37.7749],
    ["-122", -122],
    ["0", 0],
    ["37.77490", "37.77490"],
    ["37.774900000000000000001", "37.774900000000000000001"],
    ["-0", "-0"],
    ["1e2", "1e2"],
    ["9007199254740993", "9007199254740993"],
  ])("gives %s as %s", (text, value) => {
    expect(parseExactly(`{"a":[${text}]}`)).toEqual({ a: [value] });
  });

  it.each(['"1.50"', String.raw`"a \" 1.50 \\"`, String.raw`"\\\" 1.50"`, '"[1.50,2.50]"'])(
    "leaves numbers in a text alone: %s",
    (text) =>
      expect(parseExactly(`{${text}:${text},"b":1.50}`)).toEqual({
        [JSON.parse(text)]: JSON.parse(text),
        b: "1.50",
      }),
  );

  it.each(['{"a":1-2}', '{"a":01}', '{"a":1.}', '{"a":+1.0}', '{"a":1.0', ""])("refuses %s", (text) => {
    expect(() => parseExactly(text)).toThrow(SyntaxError);
  });

  it("takes a text with millions of escapes", () => {
    const long = "\n".repeat(5_000_000);
    expect(parseExactly(`{"a":${JSON.stringify(long)},"b":1.50}`)).toEqual({ a: long, b: "1.50" });
  });
});
