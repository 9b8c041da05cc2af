import { expect, test } from "vitest";
import { cipJob } from "../../src/jobs/cip.js";

const problemsOf = (row: object) =>
  (cipJob.row.safeParse({ fp_id: "fp_1", ...row }).error?.issues ?? []).map(
    ({ path, message }) => `${path.join(".")} ${message}`,
  );

test("a member is excluded with a reason only", () => {
  expect(problemsOf({ excluded: "account never opened" })).toEqual([]);
  expect(problemsOf({ excluded: "" })).toEqual(["excluded is blank: say why, or leave it out"]);
  expect(problemsOf({ excluded: " " })).not.toEqual([]);
});
