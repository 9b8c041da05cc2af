import { type AnyJob, type JobRow, planOf } from "./job.js";

type Rows = readonly JobRow<object>[];

/**
 * Makes a kind that takes rows of another kind along: both are worked on in one run, and each item is of one of them.
 * The name, the file and the order of rows are the kind's own; what the run publishes is left to it.
 */
export function takingAlong(
  own: AnyJob,
  other: AnyJob,
  isOther: (row: object) => boolean,
): Omit<AnyJob, "publish"> {
  const jobOf = (rows: Rows) => (rows[0] !== undefined && isOther(rows[0].row) ? other : own);
  const skipped = [own, other].flatMap(({ skippedRows }) => skippedRows ?? []);
  return {
    ...own,
    owner: (row) => (isOther(row) ? other : own).owner(row),
    async plan(context, rows) {
      const plans = [
        await planOf(
          own,
          context,
          rows.filter(({ row }) => !isOther(row)),
        ),
        await planOf(
          other,
          context,
          rows.filter(({ row }) => isOther(row)),
        ),
      ];
      const given = plans.flatMap(({ work, given }) => work.map((_, item) => given?.[item]));
      return {
        work: plans.flatMap(({ work }) => work),
        ...(plans.some((plan) => plan.given) && { given }),
        ended: plans.flatMap(({ ended }) => ended),
      };
    },
    work: (rows, caller) => jobOf(rows).work(rows, caller),
    ends: (rows, result) =>
      jobOf(rows).ends?.(rows, result) ?? rows.map(({ line }) => ({ line, status: "done", reason: null })),
    ...(skipped.length > 0 && {
      skippedRows: (runId: string) => skipped.map((rows) => rows(runId)).join(" union all by name "),
    }),
    about: (rows, result) => jobOf(rows).about?.(rows, result) ?? null,
    counts: (item) => jobOf(item.rows).counts?.(item) ?? {},
    tables: [...own.tables, ...other.tables],
    rows: (context, item) => jobOf(item.rows).rows(context, item),
  };
}
