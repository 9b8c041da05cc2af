import { createHash } from "node:crypto";
import type { CustomerRow, FrozenRow, WrongRow } from "../../../src/domain/onboarding/customer.js";
import {
  type BatchPurpose,
  batchId,
  batchLine,
  identityHash,
  identityOf,
  rowKey,
} from "../../../src/domain/onboarding/identity.js";
import { NOTHING_KNOWN, namesOf, type Outcome } from "../../../src/domain/onboarding/outcome.js";
import type { BatchFacts, FreezableRow, FrozenBatches } from "../../../src/lake/onboarding/frozen-batch.js";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

/** A user as a file names it; `fp_<n>` unless said otherwise. */
export function customer(line: number, change: Partial<CustomerRow> = {}): CustomerRow {
  return {
    line,
    kind: "user",
    fpId: `fp_${line}`,
    externalId: null,
    prerequisiteData: null,
    vault: {},
    documents: {},
    create: false,
    ...change,
  };
}

/** A row that breaks a rule. */
export function wrongRow(line: number): Omit<WrongRow, "row"> {
  const name = { kind: "user", fpId: null, externalId: `c-${line}` } as const;
  return { line, name, problems: [{ line, column: "fp_id", code: "blank", rule: "is blank" }] };
}

/** Freezes a batch of these customers in this order, as the command does; its id. */
export async function freezeCustomers(
  batches: FrozenBatches,
  given: readonly (CustomerRow | Omit<WrongRow, "row">)[],
  purpose: BatchPurpose = { playbook: "pb_1:v3", mode: "async", service: "" },
): Promise<string> {
  const rows = given.map((one, row) => frozenRow(one, row, purpose));
  const lines = rows.map((row) => batchLine(row));
  const hash = sha256(lines.join(""));
  const facts: BatchFacts = {
    ...purpose,
    batchId: batchId(sha256, hash, purpose),
    rows: rows.length,
    sha256: hash,
  };
  async function* freezable(): AsyncGenerator<FreezableRow> {
    for (const row of rows) yield { row };
  }
  await batches.freeze(facts, freezable());
  return facts.batchId;
}

/** An outcome of a customer; `pass` by poll unless said otherwise. */
export function outcomeOf(one: CustomerRow, change: Partial<Outcome> = {}): Outcome {
  return {
    ...NOTHING_KNOWN,
    ...namesOf(one),
    line: one.line,
    attempt: 1,
    version: 1,
    onboarding_id: `ob_${one.line}`,
    playbook_key: "pb_1",
    playbook_version: 3,
    status: "pass",
    requires_manual_review: false,
    settled_by: "poll",
    started_at: "2026-11-21T02:15:00.000Z",
    settled_at: "2026-11-21T02:16:00.000Z",
    row_key: rowKey(sha256, one, { playbook: "pb_1:v3", mode: "async", service: "" }),
    ...change,
  };
}

function frozenRow(
  given: CustomerRow | Omit<WrongRow, "row">,
  row: number,
  purpose: BatchPurpose,
): FrozenRow {
  if ("problems" in given) return { ...given, row };
  return {
    row,
    line: given.line,
    rowKey: rowKey(sha256, given, purpose),
    identityHash: identityHash(sha256, identityOf(given)),
    customer: given,
  };
}
