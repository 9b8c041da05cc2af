import { expect, test } from "vitest";
import { takingAlong } from "../../src/jobs/cip.js";
import type { AnyJob, Caller, JobContext, JobRow } from "../../src/jobs/job.js";

const CONTEXT = {} as JobContext;
const CALLER = {} as Caller;

function jobOf(name: string, more: Partial<AnyJob> = {}): AnyJob {
  return {
    kind: name,
    file: { name, option: `--${name}` },
    row: {} as AnyJob["row"],
    owner: () => `owner of ${name}`,
    effect: false,
    groupRows: 10,
    work: async () => `${name} worked`,
    tables: [{ name, columns: [] }],
    rows: () => ({ [name]: [{}] }),
    ...more,
  };
}

const row = (line: number, of: "a" | "b"): JobRow<object> => ({ line, row: { [of]: 1 } });
const plan: AnyJob["plan"] = async (_, [first, ...rows]) => ({
  work: rows.map((one) => ({ rows: [one] })),
  ended: first === undefined ? [] : [{ rows: [first], result: "planned" }],
});
const end: AnyJob["end"] = () => ({ status: "skipped", reason: "b" });
const both = takingAlong(jobOf("a", { plan }), jobOf("b", { end }), (one) => "b" in one);

test("each row is of its own kind; name and file are of the first", async () => {
  expect([both.kind, both.file.option, both.tables.map(({ name }) => name)]).toEqual([
    "a",
    "--a",
    ["a", "b"],
  ]);
  expect([both.owner({ a: 1 }), both.owner({ b: 1 })]).toEqual(["owner of a", "owner of b"]);
  expect(await both.work([row(1, "a")], CALLER)).toBe("a worked");
  expect(await both.work([row(1, "b")], CALLER)).toBe("b worked");
  const item = { result: null, reason: "r", asked: 0 };
  expect(both.rows(CONTEXT, { ...item, rows: [row(1, "b")] })).toEqual({ b: [{}] });
  expect(both.rows(CONTEXT, { ...item, rows: [row(1, "a")] })).toEqual({ a: [{}] });
});

test("each kind plans its rows, and says how they end; one that says nothing has one item per row, all done", async () => {
  const rows = [row(1, "b"), row(2, "a"), row(3, "a"), row(4, "b")];
  expect(await both.plan?.(CONTEXT, rows)).toEqual({
    work: [{ rows: [row(3, "a")] }, { rows: [row(1, "b")] }, { rows: [row(4, "b")] }],
    ended: [{ rows: [row(2, "a")], result: "planned" }],
  });
  expect(both.end?.("x", 0, { a: 1 })).toBeUndefined();
  expect(both.end?.("x", 0, { b: 1 })).toEqual({ status: "skipped", reason: "b" });
});

test("what one kind's plan gives its items stays theirs beside items of a kind that gives none", async () => {
  const giving: AnyJob["plan"] = async (_, rows) => ({
    work: rows.map((one) => ({ rows: [one], given: `given ${one.line}` })),
    ended: [],
  });
  const gives = takingAlong(jobOf("a", { plan }), jobOf("b", { plan: giving }), (one) => "b" in one);
  expect(await gives.plan?.(CONTEXT, [row(1, "b"), row(2, "a"), row(3, "a"), row(4, "b")])).toEqual({
    work: [
      { rows: [row(3, "a")] },
      { rows: [row(1, "b")], given: "given 1" },
      { rows: [row(4, "b")], given: "given 4" },
    ],
    ended: [{ rows: [row(2, "a")], result: "planned" }],
  });
});

test("each kind counts its items; one that counts nothing adds nothing", () => {
  const counting = jobOf("b", { counts: ({ rows }) => ({ found: rows.length }) });
  const counted = takingAlong(jobOf("a"), counting, (one) => "b" in one);
  const item = { result: "x", reason: null, asked: 0 };
  expect(counted.counts?.({ ...item, rows: [row(1, "a")] })).toEqual({});
  expect(counted.counts?.({ ...item, rows: [row(1, "b"), row(2, "b")] })).toEqual({ found: 2 });
});

test("what was skipped is looked for where either kind has it", () => {
  const skipping = (name: string) => jobOf(name, { skippedRows: (runId) => `${name} of ${runId}` });
  const skippedBy = (own: AnyJob, other: AnyJob) => takingAlong(own, other, () => true).skippedRows?.("r");
  expect(skippedBy(skipping("a"), skipping("b"))).toBe("a of r union all by name b of r");
  expect(skippedBy(jobOf("a"), skipping("b"))).toBe("b of r");
  expect(both).not.toHaveProperty("skippedRows");
});
