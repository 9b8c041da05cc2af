import { z } from "zod";

/**
 * What users see of a kind of bulk job; `src/jobs/<kind>.ts` is what it does. Every start of the program loads these
 * declarations, so they import schemas and rules only.
 */
export interface JobKind {
  /** In run ids, `runs` and summaries. */
  readonly kind: string;
  /** Such as `export cip`. */
  readonly command: string;
  readonly description: string;
  /** Ends its help; also in docs/reference/commands.md. */
  readonly example: string;
  readonly file: JobFile;
  /**
   * By their names in `runs.options`. A description is that of `--help` and begins with the name of the value, such as
   * `<text>`, where the option takes one; a `<file>`, a `<directory>`, or an `<export>` with a slash becomes an absolute
   * path. A schema takes the text of the command line, or true, and makes JSON of it: part of the job's identity. A
   * message follows the option's name.
   */
  readonly options: z.ZodObject;
  /** Options that name what is read at a start, such as keys. No record has them. */
  readonly inputs?: z.ZodObject;
  /** Its calls change something: the same rows are one job for ever, and nothing is done twice. */
  readonly effect: boolean;
}

interface JobFile {
  readonly name: string;
  readonly option: string;
  /** For `--help`. */
  readonly columns?: string;
  /** Default: users. */
  readonly rows?: string;
}

export const text = z.string();

/** Null where left out; an optional one is no part of the job then. */
export function orNull<T extends z.ZodType>(schema: T) {
  return schema.nullable().default(null);
}

export const flag = z.boolean();

/** Text with more than spaces. */
export function filled(advice: string) {
  return z.string().refine((text) => text.trim() !== "", `is blank. ${advice}`);
}

export function wholeNumber(least: number, most: number) {
  return z
    .string()
    .refine(
      (text) => /^\d+$/.test(text) && Number(text) >= least && Number(text) <= most,
      `is not a whole number from ${least} to ${most}`,
    )
    .transform(Number);
}

export function listed(what: string) {
  return z
    .string()
    .transform((text) => text.split(",").map((one) => one.trim()))
    .refine((list) => !list.includes(""), `has a ${what} that is empty. Accepted: values separated by commas`)
    .transform((list) => [...new Set(list)].sort());
}
