import { expect, test } from "vitest";
import { NotFoundError } from "../../src/api/http/errors.js";
import { cipJob } from "../../src/jobs/cip.js";
import type { Caller } from "../../src/jobs/job.js";

const problemsOf = (row: object) =>
  (cipJob.row.safeParse({ fp_id: "fp_1", ...row }).error?.issues ?? []).map(
    ({ path, message }) => `${path.join(".")} ${message}`,
  );

test("a member is excluded with a reason only", () => {
  expect(problemsOf({ excluded: "account never opened" })).toEqual([]);
  expect(problemsOf({ excluded: "" })).toEqual(["excluded is blank: say why, or leave it out"]);
  expect(problemsOf({ excluded: " " })).not.toEqual([]);
});

/** What becomes of a user whose report is answered 404, and whose onboardings are listed so. */
async function reasonOf(onboardings: readonly object[] | undefined): Promise<string> {
  const gone = (operation: string) => new NotFoundError({ operation, sent: true, status: 404 });
  const caller = {
    options: { approver: "a" },
    lost: async () => 0,
    once: async (_: string, { name }: { readonly name: string }) => {
      if (name === "create_cip_report" || onboardings === undefined) throw gone(name);
      return { body: { data: onboardings, meta: { next_page: null } } };
    },
  };
  const result = await cipJob.work([{ line: 1, row: { fp_id: "u" } }], caller as unknown as Caller<never>);
  return String(cipJob.end?.(result, 0)?.reason);
}

test("a report that is not found of users who are there leads to the setting, and not to the roster", async () => {
  const ended = await reasonOf([{ id: "ob", status: "pass" }]);
  const [none, nobody] = [await reasonOf([]), await reasonOf(undefined)];
  expect([ended, none, nobody]).toEqual([
    "report_not_found",
    "no_completed_onboarding (not_found)",
    "not_found",
  ]);
  expect(cipJob.advice?.([ended, none])).toMatch(/service\.cip-segment in nightledger\.yaml/);
  expect(cipJob.advice?.([ended, nobody])).toBeUndefined();
});
