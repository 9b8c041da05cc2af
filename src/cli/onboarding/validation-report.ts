import type { RowProblem } from "../../domain/row-problem.js";
import type { CustomersFile } from "../../intake/onboarding/customers-file.js";

/** What `--validate-only --json` prints. */
interface ValidationSummary {
  /** Null where the service is not configured: it is part of the id. */
  readonly batch_id: string | null;
  readonly status: "valid" | "invalid";
  readonly customers: CustomersFile["counts"];
  readonly warnings: readonly string[];
  /** Every one, in the file's order. */
  readonly problems: readonly RowProblem[];
}

/** A file's rules, counts and warnings as one JSON value. */
export function validationSummary(
  { facts, counts, problems }: CustomersFile,
  hasService: boolean,
): ValidationSummary {
  const status = problems.length === 0 ? "valid" : "invalid";
  return {
    batch_id: hasService ? facts.batchId : null,
    status,
    customers: counts,
    warnings: facts.warnings,
    problems,
  };
}

/** Counts and warnings of a file, for people. */
export function validationText({ facts, counts }: CustomersFile, hasService: boolean): string {
  const { total, invalid, users, businesses, created, vaults, documents, external_ids } = counts;
  const lines = [
    `batch     ${hasService ? facts.batchId : "known when NIGHTLEDGER_API_URL and NIGHTLEDGER_API_KEY are set"}`,
    `customers ${total}: ${users} users, ${businesses} businesses${created > 0 ? ` (${created} to be created)` : ""}, ${invalid} invalid`,
    `to write  ${vaults} vaults, ${documents} documents (${counts.document_bytes} bytes)`,
  ];
  if (external_ids > 0) lines.push(`known by  ${external_ids} by their external id alone`);
  for (const warning of facts.warnings) lines.push(`warning   ${warning}`);
  return lines.join("\n");
}
