import { InputError } from "../../domain/failures.js";
import { problemList } from "../files/row-problems.js";
import type { CustomersFile } from "./customers-file.js";

/** Refuses a file with wrong rows; the message shows the first 20 problems. */
export function invalidRowsError(path: string, { counts, problems }: CustomersFile): InputError {
  const rows =
    counts.invalid === 1 ? "1 of its rows breaks a rule" : `${counts.invalid} of its rows break a rule`;
  return new InputError(
    `customers file ${path}: ${rows}:${problemList(problems)}\nNothing was started. Fix them, or run the rest (${counts.total - counts.invalid}) with --continue-invalid.`,
  );
}
