import { z } from "zod";
import { type BrokenRule, broken } from "../domain/row-problem.js";
import { externalIdProblem, fpIdProblem } from "../domain/service/external-id.js";
import { isIsoDate, isRealDay } from "../domain/service/transaction-values.js";

const text = z.string({ error: ({ input }) => (input === undefined ? "is missing" : "is not text") });

export function ruledText(keeps: (text: string) => boolean, broken: BrokenRule) {
  return problemText((value) => (keeps(value) ? undefined : broken));
}

function problemText(problem: (text: string) => BrokenRule | undefined) {
  return text.superRefine((value, context) => {
    const broken = problem(value);
    if (broken === undefined) return;
    context.addIssue({ code: "custom", message: broken.rule, params: { code: broken.code } });
  });
}

/** An id of the service, which becomes one segment of an address. */
export const idText = problemText(fpIdProblem);

export const ownIdText = problemText(externalIdProblem);

/** A day of the calendar. */
export const day = ruledText(isRealDay, broken("not_day", "is not a day of the calendar, YYYY-MM-DD"));

/** A day, alone or with a time. */
export const dateOrInstant = ruledText(
  isIsoDate,
  broken("not_date", "is not an ISO 8601 date, YYYY-MM-DD, or with a time"),
);

/** A row about one user; kinds of jobs may know more columns. An empty text in JSON is no id, as in CSV. */
export const userRow = z.object({
  fp_id: idText,
  external_id: z.preprocess((id) => (id === "" ? undefined : id), ownIdText.optional()).optional(),
});

export type UserRow = z.output<typeof userRow>;

const YES = ["true", "yes", "1"];
const NO = ["false", "no", "0"];
const NEITHER = `is not one of ${[...YES, ...NO].join(", ")}`;

/** True or false, in JSON or as text. */
export const yesOrNo = z.union([z.boolean(), z.stringbool({ truthy: YES, falsy: NO })], {
  error: ({ input }) => (typeof input === "string" ? NEITHER : "is not text"),
});

/**
 * The code of a rule that a row's schema found broken: the rule's own, or one that no version of zod can change.
 *
 * @param isThere whether the row has the field
 */
export function codeOfIssue(issue: z.core.$ZodIssue, isThere: boolean): string {
  if (issue.code === "custom" && typeof issue.params?.code === "string") return issue.params.code;
  if (!isThere) return "missing";
  return issue.code === "invalid_type" ? "wrong_type" : "wrong_value";
}
