import { createHash } from "node:crypto";
import { InputError } from "../../domain/failures.js";
import type { FrozenRow } from "../../domain/onboarding/customer.js";
import {
  type BatchPurpose,
  batchId,
  batchLine,
  identityHash,
  identityOf,
  rowKey,
} from "../../domain/onboarding/identity.js";
import type { RowProblem } from "../../domain/row-problem.js";
import { counted } from "../../domain/words/counted.js";
import type { BatchFacts, FreezableRow } from "../../lake/onboarding/frozen-batch.js";
import { type JudgedFile, judgedFile, problemList, quotedNames } from "../files/judged-file.js";
import { CUSTOMERS, customerOf, nameOf, sha256 } from "./customer-row.js";

/** Memory does not hold the rows: they are read again when they are frozen. */
export interface CustomersFile {
  readonly facts: BatchFacts;
  readonly counts: typeof NO_CUSTOMERS;
  /** Never a value. */
  readonly warnings: readonly string[];
  /** In the file's order. */
  readonly problems: readonly RowProblem[];
  /** To see whether the service knows it; null in a file of external ids. */
  readonly firstFpId: string | null;
  freezable(): AsyncIterable<FreezableRow>;
}

export const NO_CUSTOMERS = {
  total: 0,
  invalid: 0,
  users: 0,
  businesses: 0,
  /** Created first, unless their external id is taken. */
  created: 0,
  /** With values for a vault, or to create a business with. */
  vaults: 0,
  documents: 0,
  document_bytes: 0,
  /** Have nothing else: `runs retry` can't run them again. */
  external_ids: 0,
};

/** Judges a customers file; wrong rows are no error here. @throws InputError where it can't be read as a whole */
export async function readCustomers(path: string, purpose: BatchPurpose): Promise<CustomersFile> {
  const file = judgedFile(CUSTOMERS, path);
  const counts = { ...NO_CUSTOMERS };
  const problems: RowProblem[] = [];
  const dataKeys = new Set<string>();
  const lines = createHash("sha256");
  let firstFpId: string | null = null;
  for await (const { row } of freezableRows(file, purpose)) {
    lines.update(batchLine(row));
    counts.total += 1;
    if (!("customer" in row)) {
      counts.invalid += 1;
      problems.push(...row.problems);
      continue;
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
    for (const key in prerequisiteData) dataKeys.add(key);
    firstFpId ??= fpId;
  }
  const linesSha256 = lines.digest("hex");
  return {
    facts: {
      ...purpose,
      batchId: batchId(sha256, linesSha256, purpose),
      rows: counts.total,
      sha256: linesSha256,
    },
    warnings: [...file.warnings(), ...warningsOf(dataKeys, counts)],
    counts,
    problems,
    firstFpId,
    freezable: () => freezableRows(file, purpose),
  };
}

export function invalidRowsError(path: string, { counts, problems }: CustomersFile): InputError {
  const rows = counted(counts.invalid, "of its rows breaks a rule", "of its rows break a rule");
  const rest = counts.total - counts.invalid;
  const orRest = rest > 0 ? `, or run the rest (${rest}) with --continue-invalid` : "";
  return new InputError(
    `customers file ${path}: ${rows}:${problemList(problems)}\nNothing was started. Fix them${orRest}.`,
  );
}

async function* freezableRows(file: JudgedFile, purpose: BatchPurpose): AsyncGenerator<FreezableRow> {
  let index = 0;
  for await (const judged of file.rows()) {
    const { line, row, problems, readable = {} } = judged;
    const at = { row: index, line };
    index += 1;
    if (row === null) yield { row: { ...at, name: nameOf(readable as never), problems } };
    else {
      const customer = customerOf({ ...judged, row });
      const right: FrozenRow = {
        ...at,
        rowKey: rowKey(sha256, customer, purpose),
        identityHash: identityHash(sha256, identityOf(customer)),
        customer,
      };
      yield { row: right, open: (column) => file.bytes(judged, column) };
    }
  }
}

function warningsOf(dataKeys: ReadonlySet<string>, { external_ids }: typeof NO_CUSTOMERS): string[] {
  const warnings: string[] = [];
  if (dataKeys.size > 0)
    warnings.push(
      "the service silently discards keys that the playbook's prerequisite node does not list, and no " +
        `operation lists them; this file sends ${quotedNames(dataKeys)}`,
    );
  if (external_ids > 0)
    warnings.push(
      `${counted(external_ids, "customer has", "customers have")} only an external id, which is also the idempotency id of the ` +
        "onboarding; if one fails, it can't be run again without its fp_id",
    );
  return warnings;
}
