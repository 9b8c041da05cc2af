import { expect, test } from "vitest";
import { rawMembers } from "../../src/domain/raw-members.js";

const CASES: readonly (readonly [json: string, members: readonly (readonly [string, string])[]])[] = [
  ["{}", []],
  [' { "a" : 1 } ', [["a", "1"]]],
  [
    '{"big":123456789012345678901234567890,"decimal":0.10000000000000000001,"exponent":1E400}',
    [
      ["big", "123456789012345678901234567890"],
      ["decimal", "0.10000000000000000001"],
      ["exponent", "1E400"],
    ],
  ],
  [
    String.raw`{"a,\"b\\":"x\\\"},{","n":null,"t":true}`,
    [
      ['a,"b\\', String.raw`"x\\\"},{"`],
      ["n", "null"],
      ["t", "true"],
    ],
  ],
  [
    '{"o":{"p":[1,{"q":"}"}],"r":{}},"l":[ "a", 2 ]}',
    [
      ["o", '{"p":[1,{"q":"}"}],"r":{}}'],
      ["l", '[ "a", 2 ]'],
    ],
  ],
  ['{"twice":1,"twice":2}', [["twice", "2"]]],
  ['{"__proto__":7}', [["__proto__", "7"]]],
];

test.each(CASES)("%s", (json, members) => {
  expect([...rawMembers(json)]).toEqual(members);
});

test("each value is the text that JSON.parse reads", () => {
  const value = { text: 'a "b" \\', list: [{ deep: ["]", "\\"] }], empty: "", zero: 0, none: null };
  for (const spaces of [0, 1, 2]) {
    const read = [...rawMembers(JSON.stringify(value, null, spaces))];
    expect(Object.fromEntries(read.map(([name, text]) => [name, JSON.parse(text)]))).toEqual(value);
  }
});
