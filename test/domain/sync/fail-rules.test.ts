import { expect, test } from "vitest";
import { brokenRules, type FailRules, parseFailRules } from "../../../src/domain/sync/fail-rules.js";

const none: FailRules = {
  quarantine: false,
  skipped: false,
  idConflicts: false,
  staleMs: null,
  stale: null,
};

test.each<[string, FailRules | { readonly wrong: string }]>([
  ["quarantine", { ...none, quarantine: true }],
  ["skipped, quarantine", { ...none, quarantine: true, skipped: true }],
  ["id-conflicts", { ...none, idConflicts: true }],
  ["stale>36h", { ...none, staleMs: 36 * 3_600_000, stale: "stale>36h" }],
  ["stale>3d,stale>1d", { ...none, staleMs: 86_400_000, stale: "stale>1d" }],
  ["stale", { wrong: "stale" }],
  ["stale>", { wrong: "stale>" }],
  ["stale>3", { wrong: "stale>3" }],
  ["stale<3d", { wrong: "stale<3d" }],
  ["quarantine,", { wrong: "" }],
  ["failed", { wrong: "failed" }],
])("%s is read", (text, rules) => {
  expect(parseFailRules(text)).toEqual(rules);
});

const found = { open: { rows: 12, owners: ["a"] }, skipped: ["b"], idConflicts: ["e"], stale: ["c", "d"] };
const clean = { open: { rows: 0, owners: [] }, skipped: [], idConflicts: [], stale: [] };
const all: FailRules = {
  ...none,
  quarantine: true,
  skipped: true,
  idConflicts: true,
  staleMs: 1,
  stale: "stale>1s",
};

test.each([
  ["none of them asked for", none, found, []],
  ["nothing found", all, clean, []],
  [
    "all of them broken",
    all,
    found,
    [
      { rule: "quarantine", count: 12, owners: ["a"], owners_total: 1 },
      { rule: "stale>1s", count: 2, owners: ["c", "d"], owners_total: 2 },
      { rule: "skipped", count: 1, owners: ["b"], owners_total: 1 },
      { rule: "id-conflicts", count: 1, owners: ["e"], owners_total: 1 },
    ],
  ],
  [
    "one of them broken",
    { ...none, skipped: true },
    found,
    [{ rule: "skipped", count: 1, owners: ["b"], owners_total: 1 }],
  ],
])("%s", (_, rules, findings, broken) => {
  expect(brokenRules(rules, findings)).toEqual(broken);
});

test("ten are named, all are counted", () => {
  const skipped = Array.from({ length: 11 }, (_, n) => `link-${n}`);
  const [broken] = brokenRules({ ...none, skipped: true }, { ...clean, skipped });
  expect(broken).toEqual({ rule: "skipped", count: 11, owners: skipped.slice(0, 10), owners_total: 11 });
});
