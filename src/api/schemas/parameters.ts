import { z } from "zod";
import { isRealDay } from "../../domain/service/transaction-values.js";
import { ruled } from "./body-fields.js";
import { segmentProblem } from "./url-path.js";

/** An id that stands in a path. */
export const pathId = ruled(z.string("not text"), segmentProblem).describe(
  "the id as the service issued it, without slashes",
);

/** No parameter in the path. */
export const noPath = z.strictObject({});

/** No query parameter at all. */
export const noQuery = z.strictObject({});

/** An integer from 1. */
const positive = z.int("not an integer").positive("not positive").describe("an integer from 1");

/** Rows per page. */
export const pageSize = positive;

/** The paged lists take 100 rows at most (docs/reference/service.md, "Limits"). */
const listPageSize = pageSize.max(100, "more than 100").describe("an integer from 1 to 100");

/** Where an update goes on: left out for the complete history, never sent empty. */
export const cursor = z
  .string("not text")
  .min(1, "empty: leave it out to read the complete history")
  .describe("the `cursor.next` of the answer before; left out for the complete history");

/** A `YYYY-MM-DD` day. */
const day = z
  .string("not text")
  .refine(isRealDay, "not a day YYYY-MM-DD")
  .describe("a day of the calendar, YYYY-MM-DD");

/** The filters of the paged lists; account ids are joined by commas, so no id may hold one. */
export const listQuery = z.strictObject({
  account_ids: z
    .array(z.string("not text").regex(/^[^,]+$/, "empty or with a comma"), "not a list")
    .nonempty("empty")
    .optional()
    .describe("a list of account ids without commas; left out for all accounts"),
  start_date: day.optional(),
  end_date: day.optional(),
  page: positive.optional().describe("an integer from 1; 1 when left out"),
  size: listPageSize.optional(),
});

/**
 * The paging of the onboarding lists; default and maximum of `page_size` are not shown
 * (docs/reference/service.md, "Onboarding lists").
 */
export const onboardingListQuery = z.strictObject({
  page: positive.optional(),
  page_size: positive.optional(),
});

/** Rows of a list as they came; each is judged on its own. */
export const rows = z.array(z.unknown(), "not a list");

/** The envelope of a paged list without its rows. */
export const pageCounts = {
  page: z.int("not an integer"),
  size: z.int("not an integer"),
  total: z.int("not an integer").nonnegative("negative"),
};

/** An answer that says nothing but that it was done. */
export const emptyAnswer = z.looseObject({}, "not an object");
