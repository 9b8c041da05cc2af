import { createHash, hash } from "node:crypto";
import { createReadStream } from "node:fs";
import { dirname, resolve } from "node:path";
import type { CustomerDocument, CustomerRow, RowName } from "../../domain/onboarding/customer.js";
import { COLUMN_FORMS } from "../../domain/onboarding/customer-column.js";
import {
  type DraftCustomer,
  type GivenCustomer,
  judgeCustomer,
} from "../../domain/onboarding/customer-rules.js";
import { type FrozenRow, isRight } from "../../domain/onboarding/frozen-row.js";
import {
  type BatchPurpose,
  batchId,
  batchLine,
  identityHash,
  identityOf,
  rowKey,
} from "../../domain/onboarding/identity.js";
import type { RowProblem } from "../../domain/row-problem.js";
import type { BatchFacts, FreezableRow } from "../../lake/onboarding/frozen-batch.js";
import { fileError, type InputFile } from "../files/input-file.js";
import { inspectDocument } from "./customer-documents.js";
import { givenCustomers } from "./customer-rows.js";
import { CustomersCounter, type CustomersCounts } from "./customers-counts.js";

/** A customers file that was read to its end; its rows are not kept, but read again when they are frozen. */
export interface CustomersFile {
  readonly facts: BatchFacts;
  readonly counts: CustomersCounts;
  /** All that is wrong with rows, in the file's order. */
  readonly problems: readonly RowProblem[];
  /** An id to ask the service for, to see whether it is there; null in a file of external ids. */
  readonly firstFpId: string | null;
  /** The rows, for {@link FrozenBatches.freeze}. */
  freezable(): AsyncIterable<FreezableRow>;
}

/** What is known of files to upload by their path: hashed once, however often the rows are read. */
type Documents = Map<string, CustomerDocument | string>;

/**
 * Reads and judges a customers file: CSV or JSONL by its extension, else by its content. Wrong rows are no
 * error here; files of documents are looked for from the file's own directory.
 *
 * @throws InputError where the file can't be read as a whole: not there, no UTF-8, no CSV, a mistaken header.
 */
export async function readCustomers(path: string, purpose: BatchPurpose): Promise<CustomersFile> {
  const file: InputFile = { path, name: "customers file", option: "--customers" };
  const documents: Documents = new Map();
  const counter = new CustomersCounter();
  const ignored = new Set<string>();
  const hash = createHash("sha256");
  for await (const { row } of freezableRows(file, purpose, documents, ignored)) {
    hash.update(batchLine(row.line, isRight(row) ? row : row.problems));
    counter.add(row);
  }
  if (counter.counts.total === 0) {
    throw fileError(file, "names no customer", `Give a CSV file with a header (${COLUMN_FORMS}) or JSONL.`);
  }
  const linesSha256 = hash.digest("hex");
  return {
    facts: {
      ...purpose,
      batchId: batchId(sha256, linesSha256, purpose),
      rows: counter.counts.total,
      invalid: counter.counts.invalid,
      sha256: linesSha256,
      warnings: counter.warnings(ignored),
    },
    counts: counter.counts,
    problems: counter.problems,
    firstFpId: counter.firstFpId,
    freezable: () => freezableRows(file, purpose, documents, new Set()),
  };
}

async function* freezableRows(
  file: InputFile,
  purpose: BatchPurpose,
  documents: Documents,
  ignored: Set<string>,
): AsyncGenerator<FreezableRow> {
  const firstLine = new Map<string, number>();
  let row = 0;
  for await (const given of givenCustomers(file, ignored)) {
    yield await freezableRow(file.path, given, row, purpose, documents, firstLine);
    row += 1;
  }
}

async function freezableRow(
  path: string,
  given: GivenCustomer,
  row: number,
  purpose: BatchPurpose,
  documents: Documents,
  firstLine: Map<string, number>,
): Promise<FreezableRow> {
  const { line } = given;
  const wrong = (name: RowName, problems: readonly RowProblem[]): FreezableRow => ({
    row: { row, line, name, problems },
    documents: new Map(),
  });
  const judged = judgeCustomer(given);
  if (!("draft" in judged)) return wrong(judged.name, judged.problems);
  const { draft } = judged;
  const paths = new Map([...draft.documents].map(([name, file]) => [name, resolve(dirname(path), file)]));
  const { found, problems } = await inspectAll(line, paths, documents);
  const customer = customerOf(draft, found);
  const hash = identityHash(sha256, identityOf(customer));
  const first = firstLine.get(hash);
  if (first !== undefined)
    problems.push({ line, column: identityColumn(draft), rule: `is the same as in line ${first}` });
  const { kind, fpId, externalId } = draft;
  if (problems.length > 0) return wrong({ kind, fpId, externalId }, problems);
  firstLine.set(hash, line);
  const right: FrozenRow = {
    row,
    line,
    rowKey: rowKey(sha256, customer, purpose),
    identityHash: hash,
    customer,
  };
  const opens = [...paths].map(([name, file]) => [name, () => createReadStream(file)] as const);
  return { row: right, documents: new Map(opens) };
}

async function inspectAll(
  line: number,
  paths: ReadonlyMap<string, string>,
  documents: Documents,
): Promise<{ found: [string, CustomerDocument][]; problems: RowProblem[] }> {
  const found: [string, CustomerDocument][] = [];
  const problems: RowProblem[] = [];
  for (const [name, path] of paths) {
    const known = documents.get(path) ?? (await inspectDocument(path));
    documents.set(path, known);
    if (typeof known === "string") problems.push({ line, column: `document.${name}`, rule: known });
    else found.push([name, known]);
  }
  return { found, problems };
}

function customerOf(draft: DraftCustomer, documents: readonly [string, CustomerDocument][]): CustomerRow {
  return { ...draft, documents: Object.fromEntries(documents) };
}

function identityColumn({ kind, fpId, externalId }: DraftCustomer): string | null {
  if (fpId !== null) return kind === "user" ? "fp_id" : "fp_bid";
  return externalId === null ? null : "external_id";
}

const sha256 = (text: string): string => hash("sha256", text);
