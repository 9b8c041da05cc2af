import { z } from "zod";
import { externalIdProblem, fpIdProblem } from "../domain/service/external-id.js";
import { isIsoDate, isRealDay } from "../domain/service/transaction-values.js";

const text = z.string({ error: ({ input }) => (input === undefined ? "is missing" : "is not text") });

export function ruledText(rule: (text: string) => boolean, problem: string) {
  return text.refine(rule, problem);
}

function problemText(problem: (text: string) => string | undefined) {
  return text.superRefine((value, context) => {
    const message = problem(value);
    if (message !== undefined) context.addIssue({ code: "custom", message });
  });
}

/** An id of the service, which becomes one segment of an address. */
export const idText = problemText(fpIdProblem);

/** An id of the customer's own. */
export const ownIdText = problemText(externalIdProblem);

/** A day of the calendar. */
export const day = ruledText(isRealDay, "is not a day of the calendar, YYYY-MM-DD");

/** A day, alone or with a time. */
export const dateOrInstant = ruledText(isIsoDate, "is not an ISO 8601 date, YYYY-MM-DD, or with a time");
