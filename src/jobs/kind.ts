import { z } from "zod";

/**
 * What a kind of bulk job looks like from outside: its command, its file and its options. `src/jobs/<kind>.ts` is what it
 * does. Every start of the program loads these declarations, so they import schemas and rules only.
 */
export interface JobKind {
  /** Names the job in run ids, `runs` and summaries. */
  readonly kind: string;
  /** The words of its command, such as `export cip`. */
  readonly command: string;
  readonly description: string;
  /** A command line for the end of its help; it is in docs/reference/commands.md too. */
  readonly example: string;
  readonly file: JobFile;
  /**
   * Its options by the names that they have in `runs.options`. A description is that of `--help`; it begins with the name
   * of the value, such as `<text>`, where the option takes one. A `<file>`, a `<directory>`, or an
   * `<export>` with a slash is kept as an absolute path.
   * A schema takes the text of the command line, or true. What it makes of it is JSON: part of the job's identity, and
   * what its work is given. A message says what is wrong with the option, which is named before it.
   */
  readonly options: z.ZodObject;
  /** Options that name what is read when a run starts, such as keys. No record has them. */
  readonly inputs?: z.ZodObject;
  /** Whether its calls change something: then the same rows are one job for ever, and nothing is done twice. */
  readonly effect: boolean;
}

/** The input file of a kind, in the words of messages and of `--help`. */
interface JobFile {
  readonly name: string;
  readonly option: string;
  /** What `--help` says of it: its columns. */
  readonly columns?: string;
  /** What its rows are; users, where left out. */
  readonly rows?: string;
}

export const text = z.string();

/** An option that is null where it is left out; one that is optional is no part of the job then. */
export function orNull<T extends z.ZodType>(schema: T) {
  return schema.nullable().default(null);
}

export const flag = z.boolean();

/** A text with more than spaces; `advice` says what to give. */
export function filled(advice: string) {
  return z.string().refine((text) => text.trim() !== "", `is blank. ${advice}`);
}

/** A whole number from `least` to `most`. */
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
