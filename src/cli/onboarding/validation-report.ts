import { counted } from "../../domain/words/counted.js";
import type { CustomersFile } from "../../intake/onboarding/customers-file.js";

/** Makes what `--validate-only --json` prints; the batch has no id where the service is not configured. */
export function validationSummary({ facts, counts, warnings, problems }: CustomersFile, hasService: boolean) {
  return {
    batch_id: hasService ? facts.batchId : null,
    status: problems.length === 0 ? "valid" : "invalid",
    customers: counts,
    warnings,
    problems,
  };
}

export function validationText({ facts, counts, warnings }: CustomersFile, hasService: boolean): string {
  const { total, invalid, users, businesses, created, vaults, documents, external_ids } = counts;
  const lines = [
    `batch     ${hasService ? facts.batchId : "known when NIGHTLEDGER_API_URL and NIGHTLEDGER_API_KEY are set"}`,
    `customers ${total}: ${counted(users, "user")}, ${counted(businesses, "business", "businesses")}${created > 0 ? ` (${created} to be created)` : ""}, ${invalid} invalid`,
    `to write  ${counted(vaults, "vault")}, ${counted(documents, "document")} (${counts.document_bytes} bytes)`,
  ];
  if (external_ids > 0) lines.push(`known by  ${external_ids} by their external id alone`);
  return [...lines, ...warnings.map((warning) => `warning   ${warning}`)].join("\n");
}
