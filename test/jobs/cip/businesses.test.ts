import { expect, test } from "vitest";
import { businessesOf, type CipBusiness } from "../../../src/jobs/cip/businesses.js";
import type { ClosedGroup, EndedItem } from "../../../src/jobs/job.js";

const ONBOARDING = { id: "ob", playbook_key: "pb", status: "pass", timestamp: "t" };
const NONE = { onboarding: ONBOARDING, state: "none", insights: null, askedAt: null };

function itemOf(row: object, result: unknown, reason: string | null = null): EndedItem<object, unknown> {
  return { rows: [{ line: 1, row }], result, reason, asked: 0 };
}

async function businesses(...groups: ClosedGroup<object, unknown>[]): Promise<CipBusiness[]> {
  async function* all() {
    yield* groups;
  }
  const found: CipBusiness[] = [];
  for await (const one of businessesOf(all, "cip-1")) found.push(one);
  return found;
}

test.each([
  [[], null, { status: "failed", reason: "interrupted", action: "nightledger runs retry cip-1" }],
  [
    [],
    "not_found",
    { status: "failed", reason: "not_found", action: "check the fp_bid in the file, and export it" },
  ],
  [
    [],
    "another_subject data[].id: a for b",
    { action: "find out what mixes up answers, then nightledger runs retry cip-1" },
  ],
  [[], "", { status: "empty", reason: "no_onboarding" }],
  [[NONE], "", { status: "empty", reason: "no_insights" }],
  [[NONE, { ...NONE, state: "found" }], "", { status: "exported", reason: null, action: null }],
] as const)("onboardings %j and reason %j: %o", async (onboardings, reason, expected) => {
  const result = reason === "" ? { onboardings } : null;
  const group = { items: [itemOf({ fp_bid: "b" }, result, reason)], invalid: [] };
  expect(await businesses(group)).toMatchObject([{ fp_bid: "b", ...expected }]);
});

test("one of which some insights were refused has failed, and keeps what was read", async () => {
  const onboardings = [
    { ...NONE, state: "refused" },
    { ...NONE, state: "found" },
  ];
  const result = { onboardings, failure: { reason: "refused http_422" } };
  expect(await businesses({ items: [itemOf({ fp_bid: "b" }, result)], invalid: [] })).toMatchObject([
    { status: "failed", reason: "refused http_422", action: "nightledger runs retry cip-1", onboardings },
  ]);
});

test("by id, people left out, wrong rows of the file of businesses last", async () => {
  const wrong = {
    line: 7,
    row: null,
    problems: [{ line: 3, column: "fp_bid", code: "x", rule: "is wrong" }],
  };
  const found = await businesses(
    {
      items: [
        itemOf({ fp_id: "u" }, null),
        itemOf({ fp_bid: "b" }, null),
        itemOf({ fp_bid: "a", fp_id: "u" }, null),
      ],
      invalid: [{ ...wrong, owner: "z", kind: "kyb" }, wrong],
    },
    { items: [itemOf({ fp_bid: "c" }, null)], invalid: [] },
  );
  expect(found.map(({ fp_bid, fp_id, status }) => [fp_bid, fp_id, status])).toEqual([
    ["a", "u", "failed"],
    ["b", null, "failed"],
    ["c", null, "failed"],
    ["(line 3) z", null, "excluded"],
  ]);
  expect(found[3]?.reason).toBe("wrong row: column fp_bid is wrong");
});
