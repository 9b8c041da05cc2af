import { InputError } from "../../domain/failures.js";
import type { RowProblem } from "../../domain/onboarding/customer.js";
import type { CustomersFile } from "../files/customers-file.js";

const MOST_SHOWN = 20;

/** What `--validate-only --json` prints. */
export interface ValidationSummary {
  readonly batch_id: string;
  readonly status: "valid" | "invalid";
  readonly customers: CustomersFile["count"];
  readonly warnings: readonly string[];
  /** Every one, in the file's order. */
  readonly problems: readonly RowProblem[];
}

/** A file's rules, counts and warnings as one JSON value. */
export function validationSummary({ facts, count, problems }: CustomersFile): ValidationSummary {
  const status = problems.length === 0 ? "valid" : "invalid";
  return { batch_id: facts.batchId, status, customers: count, warnings: facts.warnings, problems };
}

/** Counts and warnings of a file, for people. */
export function validationText({ facts, count }: CustomersFile): string {
  const { total, invalid, users, businesses, created, vaults, documents, external_ids } = count;
  const lines = [
    `batch     ${facts.batchId}`,
    `customers ${total}: ${users} users, ${businesses} businesses${created > 0 ? ` (${created} to be made)` : ""}, ${invalid} invalid`,
    `to write  ${vaults} vaults, ${documents} documents (${count.document_bytes} bytes)`,
  ];
  if (external_ids > 0) lines.push(`known by  ${external_ids} by their external id alone`);
  for (const warning of facts.warnings) lines.push(`warning   ${warning}`);
  return lines.join("\n");
}

/** Every problem as a line of text: line, column, rule. */
export function problemLines(problems: readonly RowProblem[]): string[] {
  return problems.map(
    ({ line, column, rule }) => `line ${line}${column === null ? "" : `, column ${column}`}: ${rule}`,
  );
}

/**
 * Refuses a file with wrong rows; the message shows the first 20 problems, so say {@link problemLines} before
 * where all shall be seen.
 */
export function invalidRowsError(path: string, { count, problems }: CustomersFile): InputError {
  const shown = problemLines(problems.slice(0, MOST_SHOWN));
  const more = problems.length - shown.length;
  const list = [...shown, ...(more > 0 ? [`and ${more} more`] : [])].map((line) => `\n  ${line}`).join("");
  const rows =
    count.invalid === 1 ? "1 of its rows breaks a rule" : `${count.invalid} of its rows break a rule`;
  return new InputError(
    `customers file ${path}: ${rows}:${list}\nNothing was started. Mend them, or run the rest (${count.total - count.invalid}) with --continue-invalid.`,
  );
}
