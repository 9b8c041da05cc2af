import fc from "fast-check";

const WHITE = fc.stringMatching(/^[ \t\r\n]{0,2}$/);
const CHARACTER = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .string({ unit: "binary", minLength: 1, maxLength: 1 })
      .filter((text) => !/["\\\p{Cc}\p{Surrogate}]/u.test(text)),
  },
  fc.constantFrom("\\n", "\\\\", '\\"', "\\/", "\\u00e9", "\\ud83e\\udd50", "\\ud800", "\\uDFFF", "\\u0000"),
);
/** A JSON string in one of its spellings, halves of surrogate pairs included. */
export const stringText = fc.array(CHARACTER, { maxLength: 6 }).map((parts) => `"${parts.join("")}"`);
const NUMBER = fc.stringMatching(/^-?(0|[1-9]\d{0,20})(\.\d{1,12})?([eE][+-]?\d{1,2})?$/);

/** Texts of JSON values in every spelling that JSON allows, without repeated keys. */
export const { value: valueText } = fc.letrec<{ value: string; array: string; object: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom("null", "true", "false"),
    stringText,
    NUMBER,
    tie("array"),
    tie("object"),
  ),
  array: fc
    .array(fc.tuple(WHITE, tie("value"), WHITE), { maxLength: 4 })
    .map((items) => `[${items.map((item) => item.join("")).join(",")}]`),
  object: fc
    .uniqueArray(fc.tuple(stringText, WHITE, tie("value"), WHITE), {
      maxLength: 4,
      selector: ([key]) => JSON.parse(key) as string,
    })
    .map(
      (members) => `{${members.map(([key, a, value, b]) => `${a}${key}${b}:${a}${value}${b}`).join(",")}}`,
    ),
}));
