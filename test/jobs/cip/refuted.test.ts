import { expect, test } from "vitest";
import { refutedMembers } from "../../../src/jobs/cip/refuted.js";
import { madeUpReport } from "../../helpers/bulk/cip-members.js";

/** `fp_id user_id`, those that fail marked by `!`; three members for each group. */
test.each<[string, string]>([
  ["all name whom was asked for", "a a, b b"],
  ["nearly all do: one that differs fails", "a a, b b, c c, d x !"],
  ["two of eight are mixed up with each other", "a b !, b a !, c c, d d, e e, f f, g g, h h"],
  ["fewer do: nothing says that all have to", "a a, b b, c x, d y"],
  ["one report for everybody", "a a !, b a !, c a !"],
  ["two share one", "a x !, b x !, c y"],
  ["another kind of id, all different", "a x, b y, c z"],
  ["one alone tells nothing", "a x"],
  ["none", ""],
])("%s", async (_, text) => {
  const members = text
    .split(", ")
    .filter((one) => one !== "")
    .map((one) => one.split(" "))
    .map(([fp_id = "", user_id = "", mark], at) => ({ fp_id, user_id, mark, group: Math.floor(at / 3), at }));
  async function* groups() {
    for (let number = 0; number * 3 < members.length; number += 1) {
      const items = members
        .filter(({ group }) => group === number)
        .map(({ fp_id, user_id, at }) => {
          const report = { ...madeUpReport(at), user_id };
          const result = { kind: "exported", report, asked: 1, askedAt: "2026-11-20T08:00:00Z" } as const;
          return { number: at % 3, rows: [{ line: at, row: { fp_id } }], result, reason: null, asked: 0 };
        });
      yield { number, items, invalid: [] };
    }
  }
  const refuted = await refutedMembers(groups);
  expect(refuted.map(({ group, item }) => group * 3 + item)).toEqual(
    members.filter(({ mark }) => mark === "!").map(({ at }) => at),
  );
  for (const { reason } of refuted) expect(reason).toMatch(/^another_subject user_id: •••.* for /);
});
