import { createHash } from "node:crypto";
import type { ApiClient } from "../../api/http/client.js";
import { type FrozenBulkRow, frozenLine } from "../../domain/bulk/bulk-job.js";
import { InputError } from "../../domain/failures.js";
import { groupedBy } from "../../domain/grouped-by.js";
import { invalidRow, type RowProblem } from "../../domain/row-problem.js";
import type { AnyJob, JobRow } from "../../jobs/job.js";
import type { BytesOf } from "../../lake/bulk/bulk-staging.js";
import { countedProblems, type JudgedFile, judgedFile } from "../files/judged-file.js";
import type { BulkRequest } from "./bulk-request.js";

/** Memory does not hold the rows: they are read again when they are frozen. */
export interface JudgedRows {
  readonly total: number;
  readonly invalid: number;
  /** Hex, of all rows. */
  readonly sha256: string;
  /** In the file's order. */
  readonly problems: readonly RowProblem[];
  readonly warnings: readonly string[];
  /** Valid. */
  readonly first: object | undefined;
  /** As they are frozen, invalid ones too. */
  rows(): AsyncIterable<FrozenBulkRow>;
  /** Left out for rows that name no file. */
  readonly bytes?: BytesOf | undefined;
}

/** Judges the file of a job; invalid rows are no error here. @throws InputError where it can't be read as a whole */
export async function judgeRows(job: AnyJob, path: string): Promise<JudgedRows> {
  const file = judgedFile(job, path);
  const judged = await countRows(() => frozenRows(job, file), job.files && file.bytes);
  return { ...judged, warnings: file.warnings() };
}

/**
 * Judges the file of a job that is to run.
 * @throws InputError where it can't be read, or has invalid rows and only valid ones may run
 */
export async function judgeFile(
  job: AnyJob,
  { file, continueInvalid }: Pick<BulkRequest, "file" | "continueInvalid">,
  warn: (warning: string) => void = () => undefined,
): Promise<JudgedRows> {
  const judged = await judgeRows(job, file);
  judged.warnings.forEach(warn);
  return refuseInvalid(job, file, judged, continueInvalid);
}

/** Counts, hashes and judges rows without keeping them. */
export async function countRows(
  rows: () => AsyncIterable<FrozenBulkRow>,
  bytes?: BytesOf,
): Promise<JudgedRows> {
  const hash = createHash("sha256");
  const problems: RowProblem[] = [];
  let total = 0;
  let invalid = 0;
  let first: object | undefined;
  for await (const one of rows()) {
    total += 1;
    if (one.row === null) invalid += 1;
    else first ??= one.row;
    problems.push(...one.problems);
    hash.update(frozenLine(one));
  }
  return { total, invalid, problems, first, sha256: hash.digest("hex"), warnings: [], rows, bytes };
}

/** Adds the problems that only the service knows about. */
export async function checkedRows(job: AnyJob, judged: JudgedRows, api: ApiClient): Promise<JudgedRows> {
  return withProblems(judged, (await job.check?.(api, validRows(judged))) ?? []);
}

export async function* validRows(judged: Pick<JudgedRows, "rows">): AsyncGenerator<JobRow<object>> {
  for await (const { line, row } of judged.rows()) if (row !== null) yield { line, row };
}

export async function withProblems(judged: JudgedRows, problems: readonly RowProblem[]): Promise<JudgedRows> {
  if (problems.length === 0) return judged;
  const byLine = groupedBy(problems, ({ line }) => line);
  async function* rows(): AsyncGenerator<FrozenBulkRow> {
    for await (const one of judged.rows()) {
      const more = byLine.get(one.line);
      yield more === undefined ? one : invalidRow(one, more);
    }
  }
  return { ...(await countRows(rows, judged.bytes)), warnings: judged.warnings };
}

/** @throws InputError for invalid rows, unless only the valid ones are to run */
export function refuseInvalid(
  { file }: AnyJob,
  path: string,
  judged: JudgedRows,
  continueInvalid: boolean,
): JudgedRows {
  const { problems } = judged;
  if (problems.length === 0 || continueInvalid) return judged;
  throw new InputError(
    `${file.name} ${path}: ${countedProblems(problems)}\n` +
      "Nothing was started. Fix the file, or run the valid rows with --continue-invalid.",
  );
}

/** In the kind's order, completed by the kind. */
async function* frozenRows(job: AnyJob, file: JudgedFile): AsyncGenerator<FrozenBulkRow> {
  const complete = job.complete?.();
  for await (const one of inOrder(job, file.rows())) {
    yield one.row === null ? one : { ...one, row: complete?.row(one.row) ?? one.row };
  }
}

async function* inOrder(job: AnyJob, rows: AsyncIterable<FrozenBulkRow>): AsyncGenerator<FrozenBulkRow> {
  if (job.order === undefined) return yield* rows;
  const kept: FrozenBulkRow[] = [];
  for await (const row of rows) kept.push(row);
  const order = job.order.bind(job);
  const compare = (a: FrozenBulkRow, b: FrozenBulkRow) => {
    if (a.row !== null && b.row !== null) return order(a.row, b.row);
    // Invalid rows come last, by their lines.
    return a.row === b.row ? a.line - b.line : a.row === null ? 1 : -1;
  };
  yield* kept.sort(compare);
}
