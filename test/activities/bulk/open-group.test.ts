import { expect, test } from "vitest";
import { endsOf } from "../../../src/activities/bulk/open-group.js";
import type { AnyJob } from "../../../src/jobs/job.js";
import { userFieldsJob } from "../../helpers/bulk/user-fields-job.js";

const rows = [1, 2].map((line) => ({ line, row: { fp_id: `fp_${line}` } }));
const job = userFieldsJob as AnyJob;

test("an item with a result is done, unless its kind says otherwise of a row", () => {
  const item = { rows, result: {}, reason: null, asked: 0 };
  expect(endsOf(job, item).map(({ line, status }) => `${line} ${status}`)).toEqual(["1 done", "2 done"]);
  const end = (_: unknown, at: number) =>
    at === 0 ? ({ status: "skipped", reason: "known" } as const) : undefined;
  expect(endsOf({ ...job, end }, item)).toEqual([
    { line: 1, status: "skipped", reason: "known" },
    { line: 2, status: "done", reason: null },
  ]);
});

test("an item without a result has failed, with what the service refused", () => {
  const refused = { status: 404, message: "no such user" };
  const item = { rows, result: null, reason: "not_found", refused, asked: 1 };
  expect(endsOf(job, item)).toEqual(
    rows.map(({ line }) => ({ line, status: "failed", reason: "not_found", refused })),
  );
});
