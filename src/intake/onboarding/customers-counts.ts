import { type FrozenRow, isRight } from "../../domain/onboarding/frozen-row.js";
import type { RowProblem } from "../../domain/row-problem.js";

const MOST_NAMED = 20;

/** What is in a customers file. */
export interface CustomersCounts {
  total: number;
  /** Rows that break a rule. */
  invalid: number;
  users: number;
  businesses: number;
  /** Businesses that are made first, or adopted where their external id is taken. */
  created: number;
  /** Rows with values to write into a vault, or to make a business with. */
  vaults: number;
  documents: number;
  document_bytes: number;
  /** Known by their external id alone: `runs retry` can't run them again. */
  external_ids: number;
}

/** Counts the rows of a file while it is read, and keeps what is wrong with them. */
export class CustomersCounter {
  readonly counts: CustomersCounts = {
    total: 0,
    invalid: 0,
    users: 0,
    businesses: 0,
    created: 0,
    vaults: 0,
    documents: 0,
    document_bytes: 0,
    external_ids: 0,
  };
  readonly problems: RowProblem[] = [];
  firstFpId: string | null = null;
  readonly #dataKeys = new Set<string>();

  add(row: FrozenRow): void {
    const { counts } = this;
    counts.total += 1;
    if (!isRight(row)) {
      counts.invalid += 1;
      this.problems.push(...row.problems);
      return;
    }
    const { kind, fpId, externalId, vault, documents, create, prerequisiteData } = row.customer;
    if (kind === "user") counts.users += 1;
    else counts.businesses += 1;
    if (create) counts.created += 1;
    if (Object.keys(vault).length > 0) counts.vaults += 1;
    if (externalId !== null) counts.external_ids += 1;
    for (const { bytes } of Object.values(documents)) {
      counts.documents += 1;
      counts.document_bytes += bytes;
    }
    for (const key in prerequisiteData) this.#dataKeys.add(key);
    this.firstFpId ??= fpId;
  }

  /** What the user should know that is no rule: names of columns and counts, never a value. */
  warnings(ignored: ReadonlySet<string>): string[] {
    const warnings: string[] = [];
    if (ignored.size > 0) warnings.push(`ignored columns: ${namesText(ignored)}`);
    if (this.#dataKeys.size > 0) {
      warnings.push(
        "the service silently discards keys that the playbook's prerequisite node does not list, and no " +
          `operation lists them; this file sends ${namesText(this.#dataKeys)}`,
      );
    }
    const { external_ids } = this.counts;
    if (external_ids > 0) {
      warnings.push(
        `${external_ids} customers have only an external id, which is also the idempotency id of their ` +
          "onboarding; if one fails, it can't be run again without its fp_id",
      );
    }
    return warnings;
  }
}

function namesText(names: ReadonlySet<string>): string {
  const shown = [...names]
    .sort()
    .slice(0, MOST_NAMED)
    .map((name) => JSON.stringify(name));
  const more = names.size - shown.length;
  return `${shown.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
