import type { ApiClient } from "../../api/http/client.js";
import { InputError } from "../../domain/failures.js";
import type { AnyJob } from "../../jobs/job.js";
import { problemList } from "../files/row-problems.js";
import { type JudgedRows, rightRows, withProblems } from "./input-rows.js";

/** Rows with what only the service can tell of them. */
export async function checkedRows(job: AnyJob, judged: JudgedRows, api: ApiClient): Promise<JudgedRows> {
  return withProblems(judged, (await job.check?.({ api }, rightRows(judged.rows()))) ?? []);
}

/** @throws InputError where rows are wrong and only the right ones are not to run. */
export function refuseWrongRows(
  { file }: AnyJob,
  path: string,
  { problems }: JudgedRows,
  continueInvalid: boolean,
): void {
  if (problems.length === 0 || continueInvalid) return;
  const counted = problems.length === 1 ? "1 problem" : `${problems.length} problems`;
  throw new InputError(
    `${file.name} ${path}: ${counted}:${problemList(problems)}\n` +
      "Nothing was started. Fix the file, or let the right rows run with --continue-invalid.",
  );
}
