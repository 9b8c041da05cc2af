import { InputError } from "../../domain/failures.js";

/** A file of rows that a command was given. */
export interface InputFile {
  readonly path: string;
  /** What messages call it, such as `roster`. */
  readonly name: string;
  /** The option that names it, such as `--roster`. */
  readonly option: string;
  /** The most bytes that it may have, where its reader keeps all rows in memory. */
  readonly mostBytes?: number;
}

/** The longest row that is read: a line that never ends must not fill the memory. */
export const LONGEST_ROW = 16 * 1024 * 1024;

/** Makes an InputError about a file as a whole. */
export function fileError({ name, path }: InputFile, problem: string, advice: string): InputError {
  return new InputError(`${name} ${path} ${problem}. Nothing was started. ${advice}`);
}

/** Thrown when a file stops being CSV at a line. */
export class MalformedFileError extends InputError {
  constructor(
    file: InputFile,
    readonly line: number,
    readonly rule: string,
  ) {
    const advice = "Fix the file and run the command again.";
    super(fileError(file, `line ${line}: ${rule}`, advice).message);
  }
}
