import { type FrozenRow, isRight } from "../../domain/onboarding/frozen-row.js";
import type { RowProblem } from "../../domain/row-problem.js";

const MOST_NAMED = 20;

export type CustomersCounts = CustomersCounter["counts"];

/** Counts the rows of a file while it is read, and keeps what is wrong with them. */
export class CustomersCounter {
  readonly counts = {
    total: 0,
    /** Rows that break a rule. */
    invalid: 0,
    users: 0,
    businesses: 0,
    /** Businesses that are created first, unless their external id is taken. */
    created: 0,
    /** Rows with values to write into a vault, or to create a business with. */
    vaults: 0,
    documents: 0,
    document_bytes: 0,
    /** Rows that have only an external id: `runs retry` can't run them again. */
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
    counts[kind === "user" ? "users" : "businesses"] += 1;
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

  /** Warnings of what breaks no rule; they name columns and counts, never a value. */
  warnings(ignored: ReadonlySet<string>): string[] {
    const { external_ids } = this.counts;
    return [
      ...(ignored.size > 0 ? [`ignored columns: ${namesText(ignored)}`] : []),
      ...(this.#dataKeys.size > 0
        ? [
            "the service silently discards keys that the playbook's prerequisite node does not list, and no " +
              `operation lists them; this file sends ${namesText(this.#dataKeys)}`,
          ]
        : []),
      ...(external_ids > 0
        ? [
            `${external_ids === 1 ? "1 customer has" : `${external_ids} customers have`} only an external id, which is also the idempotency id of the ` +
              "onboarding; if one fails, it can't be run again without its fp_id",
          ]
        : []),
    ];
  }
}

function namesText(names: ReadonlySet<string>): string {
  const shown = [...names].sort().slice(0, MOST_NAMED);
  const more = names.size - shown.length;
  return `${shown.map((name) => JSON.stringify(name)).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
