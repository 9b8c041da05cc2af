import { expect, test } from "vitest";
import { materialize } from "../../../src/lake/materialize/materialize.js";
import { eachTest } from "../../helpers/each-test.js";
import { type Change, FeedLake } from "../../helpers/lake/feed-lake.js";

const at = eachTest(() => FeedLake.open());

test("a lake without a feed has nothing to materialize and stays empty", async () => {
  expect(await materialize(at.lake)).toEqual({ from: -1, to: -1, rows: 0, rewritten: 0, rebuilt: false });
  expect((await at.lake.table("transactions").snapshot()).version).toBe(-1);
});

test("the first call brings every row and the watermark in one commit", async () => {
  await at.feed({ id: "x", sequence: 1, amount: "0.0000000001" }, { link: "b", id: "x", sequence: 1 });
  await at.feed({ id: "y", sequence: 2, date: "2025-01-01" });
  expect(await materialize(at.lake)).toEqual({ from: -1, to: 1, rows: 3, rewritten: 0, rebuilt: false });
  const { version, txns } = await at.lake.table("transactions").snapshot();
  expect(version).toBe(0);
  expect(txns.get("transaction_changes")).toEqual({ appId: "transaction_changes", version: 1 });
  expect(await at.rows()).toEqual(["a/x 0.0000000001 2026-05-05", "a/y 1 2025-01-01", "b/x 1 2026-05-05"]);
});

const RULES: { rule: string; nights: Change[][]; expected: string[] }[] = [
  {
    rule: "the greatest sequence of a key wins, whatever the order in the file",
    nights: [
      [
        { id: "x", sequence: 3, amount: "3" },
        { id: "x", sequence: 1 },
        { id: "x", sequence: 2, amount: "2" },
      ],
    ],
    expected: ["a/x 3 2026-05-05"],
  },
  {
    rule: "an update of a later night replaces the row, also in another month",
    nights: [
      [
        { id: "x", sequence: 1 },
        { id: "y", sequence: 2 },
      ],
      [{ id: "x", sequence: 3, type: "updated", amount: "9", date: "2026-07-01" }],
    ],
    expected: ["a/x 9 2026-07-01", "a/y 1 2026-05-05"],
  },
  {
    rule: "an update of a row that never came is a row",
    nights: [[{ id: "x", sequence: 1 }], [{ id: "z", sequence: 2, type: "updated", amount: "5" }]],
    expected: ["a/x 1 2026-05-05", "a/z 5 2026-05-05"],
  },
  {
    rule: "a removed key goes",
    nights: [
      [
        { id: "x", sequence: 1 },
        { id: "y", sequence: 2 },
      ],
      [{ id: "x", sequence: 3, type: "removed" }],
    ],
    expected: ["a/y 1 2026-05-05"],
  },
  {
    rule: "a key created and removed in one night never appears",
    nights: [
      [
        { id: "x", sequence: 1 },
        { id: "x", sequence: 2, type: "removed" },
      ],
    ],
    expected: [],
  },
  {
    rule: "a removed key that is created again comes back",
    nights: [
      [{ id: "x", sequence: 1 }],
      [{ id: "x", sequence: 2, type: "removed" }],
      [{ id: "x", sequence: 3, amount: "4" }],
    ],
    expected: ["a/x 4 2026-05-05"],
  },
  {
    rule: "removed and created again in one night is the new row",
    nights: [
      [{ id: "x", sequence: 1 }],
      [
        { id: "x", sequence: 2, type: "removed" },
        { id: "x", sequence: 3, amount: "4" },
      ],
    ],
    expected: ["a/x 4 2026-05-05"],
  },
  {
    rule: "a removed key that was never there harms nothing",
    nights: [
      [{ id: "x", sequence: 1 }],
      [{ id: "nope", sequence: 2, type: "removed" }],
      [{ link: "new", id: "x", sequence: 1, type: "removed" }],
    ],
    expected: ["a/x 1 2026-05-05"],
  },
  {
    rule: "the same id in two links is two rows",
    nights: [
      [
        { id: "x", sequence: 1 },
        { link: "b", id: "x", sequence: 1 },
      ],
      [{ link: "b", id: "x", sequence: 2, type: "removed" }],
    ],
    expected: ["a/x 1 2026-05-05"],
  },
  {
    rule: "ids with quotes, and links whose order differs between UTF-8 and UTF-16",
    nights: [
      [
        { link: "\u{1F600}'", id: "q'\"", sequence: 1 },
        { link: "\uFB00", id: "q'\"", sequence: 1 },
      ],
      [
        { link: "\u{1F600}'", id: "q'\"", sequence: 2, type: "updated", amount: "2" },
        { link: "\uFB00", id: "q'\"", sequence: 2, type: "removed" },
      ],
    ],
    expected: ["\u{1F600}'/q'\" 2 2026-05-05"],
  },
  {
    rule: "dates scattered over three hundred months",
    nights: [
      Array.from({ length: 300 }, (_, n) => ({
        id: `m${String(n).padStart(3, "0")}`,
        sequence: n + 1,
        date: `${2000 + Math.floor(n / 12)}-${String((n % 12) + 1).padStart(2, "0")}-01`,
      })),
    ],
    expected: Array.from(
      { length: 300 },
      (_, n) =>
        `a/m${String(n).padStart(3, "0")} 1 ${2000 + Math.floor(n / 12)}-${String((n % 12) + 1).padStart(2, "0")}-01`,
    ),
  },
];

for (const { rule, nights, expected } of RULES) {
  test(`${rule}: night by night`, async () => {
    for (const night of nights) {
      await at.feed(...night);
      await materialize(at.lake);
    }
    expect(await at.rows()).toEqual(expected);
  });

  test(`${rule}: all nights at once`, async () => {
    for (const night of nights) await at.feed(...night);
    await materialize(at.lake);
    expect(await at.rows()).toEqual(expected);
  });
}
