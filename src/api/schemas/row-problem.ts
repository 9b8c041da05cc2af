import type { z } from "zod";
import { rowCheck } from "./row-check.js";

/**
 * Says why a row can't be loaded (`amount: not a decimal string`), or undefined when it can.
 * The reason names fields and rules only, never what stands in the row.
 */
export function rowProblem(schema: z.ZodType, row: unknown): string | undefined {
  if (rowCheck(schema)(row)) return undefined;
  const result = schema.safeParse(row);
  if (result.success) return undefined;
  const issue = result.error.issues[0];
  if (issue === undefined) return "not as the contract says";
  return issue.path.length === 0 ? issue.message : `${issue.path.join(".")}: ${issue.message}`;
}
