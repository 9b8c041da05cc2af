import { counted } from "../../domain/words/counted.js";
import type { CustomersFile } from "../../intake/onboarding/customers-file.js";
import { countsText } from "../shell/validation.js";

/** @param done null where the service is not configured: then the batch has no id either */
export function validationSummary({ facts, counts, warnings, problems }: CustomersFile, done: number | null) {
  return {
    batch_id: done === null ? null : facts.batchId,
    status: problems.length === 0 ? "valid" : "invalid",
    customers: { ...counts, done },
    warnings,
    problems,
  };
}

export function validationText({ facts, counts, warnings }: CustomersFile, done: number | null): string {
  const { users, businesses, created, vaults, documents, external_ids } = counts;
  const known = "known when NIGHTLEDGER_API_URL and NIGHTLEDGER_API_KEY are set";
  const lines = [
    `batch     ${done === null ? known : facts.batchId}`,
    `customers ${countsText({ ...counts, done })}`,
    `valid     ${counted(users, "user")}, ${counted(businesses, "business", "businesses")}${created > 0 ? ` (${created} to be created)` : ""}`,
    `to write  ${counted(vaults, "vault")}, ${counted(documents, "document")} (${counts.document_bytes} bytes)`,
  ];
  if (external_ids > 0) lines.push(`known by  ${external_ids} by their external id alone`);
  return [...lines, ...warnings.map((warning) => `warning   ${warning}`)].join("\n");
}
