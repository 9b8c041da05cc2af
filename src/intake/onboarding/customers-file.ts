import { createHash, hash } from "node:crypto";
import { dirname, resolve } from "node:path";
import { InputError } from "../../domain/failures.js";
import { isJsonObject } from "../../domain/json/value.js";
import { type FrozenRow, isRight, type RowName } from "../../domain/onboarding/customer.js";
import {
  COLUMN_FORMS,
  COLUMN_GROUPS,
  type ColumnGroup,
  type CustomerColumn,
  customerColumn,
} from "../../domain/onboarding/customer-column.js";
import {
  type DraftCustomer,
  type GivenCustomer,
  judgeCustomer,
} from "../../domain/onboarding/customer-rules.js";
import {
  type BatchPurpose,
  batchId,
  batchLine,
  identityHash,
  identityOf,
  rowKey,
} from "../../domain/onboarding/identity.js";
import { type BrokenRule, type RowProblem, repeatedRow } from "../../domain/row-problem.js";
import { SHORTEST_BUSINESS_ID } from "../../domain/service/external-id.js";
import { isDocument } from "../../domain/service/vault/vault-identifier.js";
import { counted } from "../../domain/words/counted.js";
import type { BatchFacts, FreezableRow } from "../../lake/onboarding/frozen-batch.js";
import { ChangedIds } from "../files/changed-ids.js";
import { MOST_SHOWN, problemList } from "../files/judged-file.js";
import { type InputRow, LONG_NUMBER, readRows } from "../files/rows.js";
import { fileError, type InputFile } from "../files/text.js";
import { type InspectedFiles, inspectFiles, uploadedBytes } from "../files/uploaded-file.js";

/**
 * A customers file that was read to its end. Memory does not hold its rows: they are read again when they are frozen.
 */
export interface CustomersFile {
  readonly facts: BatchFacts;
  readonly counts: CustomersCounter["counts"];
  /** Of what breaks no rule, such as ignored columns; never a value. */
  readonly warnings: readonly string[];
  /** Everything that is wrong with rows, in the file's order. */
  readonly problems: readonly RowProblem[];
  /** An id to ask the service for, to see whether it exists; null in a file of external ids. */
  readonly firstFpId: string | null;
  /** The rows, for {@link FrozenBatches.freeze}. */
  freezable(): AsyncIterable<FreezableRow>;
}

/**
 * Reads and judges a customers file: CSV or JSONL by its extension, else by its content. Wrong rows are no error here;
 * paths of documents are relative to the file's own directory.
 *
 * @throws InputError where the file can't be read as a whole: missing, not UTF-8, not CSV, a mistaken header.
 */
export async function readCustomers(path: string, purpose: BatchPurpose): Promise<CustomersFile> {
  const file: InputFile = { path, name: "customers file", option: "--customers" };
  const documents: InspectedFiles = new Map();
  const counter = new CustomersCounter();
  const ignored = new Set<string>();
  const lines = createHash("sha256");
  for await (const { row } of freezableRows(file, purpose, documents, ignored)) {
    lines.update(batchLine(row));
    counter.add(row);
  }
  const { counts, problems, firstFpId } = counter;
  if (counts.total === 0) {
    throw fileError(file, "names no customer", `Give a CSV file with a header (${COLUMN_FORMS}) or JSONL.`);
  }
  const linesSha256 = lines.digest("hex");
  return {
    facts: {
      ...purpose,
      batchId: batchId(sha256, linesSha256, purpose),
      rows: counts.total,
      sha256: linesSha256,
    },
    warnings: counter.warnings(ignored),
    counts,
    problems,
    firstFpId,
    freezable: () => freezableRows(file, purpose, documents, new Set()),
  };
}

/** Refuses a file with wrong rows; the message shows the first 20 problems. */
export function invalidRowsError(path: string, { counts, problems }: CustomersFile): InputError {
  const rows = counted(counts.invalid, "of its rows breaks a rule", "of its rows break a rule");
  const rest = counts.total - counts.invalid;
  const orRest = rest > 0 ? `, or run the rest (${rest}) with --continue-invalid` : "";
  return new InputError(
    `customers file ${path}: ${rows}:${problemList(problems)}\nNothing was started. Fix them${orRest}.`,
  );
}

/** What the columns of documents begin with. */
const DOCUMENT: string = "document.";

async function* freezableRows(
  file: InputFile,
  purpose: BatchPurpose,
  inspected: InspectedFiles,
  ignored: Set<string>,
): AsyncGenerator<FreezableRow> {
  const firstLine = new Map<string, number>();
  let row = 0;
  for await (const given of givenCustomers(file, ignored)) {
    const { line } = given;
    const judged = judgeCustomer(given);
    if ("draft" in judged) {
      const { draft } = judged;
      const directory = dirname(file.path);
      const named = [...draft.documents].map(([name, path]) => [DOCUMENT + name, path] as const);
      const paths = new Map(named.map(([column, path]) => [column, resolve(directory, path)]));
      const { found, problems } = await inspectFiles(line, paths, inspected);
      const documents = found.map(([column, file]) => [column.slice(DOCUMENT.length), file]);
      const customer = { ...draft, documents: Object.fromEntries(documents) };
      const identity = identityHash(sha256, identityOf(customer));
      const first = firstLine.get(identity);
      if (first !== undefined) problems.push(repeatedRow(line, identityColumn(draft), first));
      if (problems.length > 0) yield wrongRow(row, line, draft, problems);
      else {
        firstLine.set(identity, line);
        const key = rowKey(sha256, customer, purpose);
        yield {
          row: { row, line, rowKey: key, identityHash: identity, customer },
          open: (column) => uploadedBytes(paths.get(column) ?? ""),
        };
      }
    } else yield wrongRow(row, line, judged.name, judged.problems);
    row += 1;
  }
}

function wrongRow(
  row: number,
  line: number,
  { kind, fpId, externalId }: RowName,
  problems: readonly RowProblem[],
): FreezableRow {
  return { row: { row, line, name: { kind, fpId, externalId }, problems } };
}

function identityColumn({ kind, fpId, externalId }: DraftCustomer): string | null {
  if (fpId !== null) return kind === "user" ? "fp_id" : "fp_bid";
  return externalId === null ? null : "external_id";
}

const sha256 = (text: string): string => hash("sha256", text);

const SHORT_ID = `a business has an external id shorter than ${SHORTEST_BUSINESS_ID} characters; services are known that refuse it`;
const NO_DOCUMENTS =
  "the contract has no upload of documents (document.document.…); a service that takes none refuses the row";

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
  readonly #doubts = new Set<string>();
  readonly #changed = new ChangedIds();

  add(row: FrozenRow): void {
    const { counts } = this;
    counts.total += 1;
    const { kind, fpId, externalId } = isRight(row) ? row.customer : row.name;
    const ours = kind === "business" ? "fp_bid" : "fp_id";
    this.#changed.add(row.line, { [ours]: fpId, external_id: externalId });
    if (!isRight(row)) {
      counts.invalid += 1;
      this.problems.push(...row.problems);
      return;
    }
    const { vault, documents, create, prerequisiteData } = row.customer;
    counts[kind === "user" ? "users" : "businesses"] += 1;
    if (create) counts.created += 1;
    if (Object.keys(vault).length > 0) counts.vaults += 1;
    if (externalId !== null) counts.external_ids += 1;
    if (create && externalId !== null && externalId.length < SHORTEST_BUSINESS_ID) this.#doubts.add(SHORT_ID);
    for (const [identifier, { bytes }] of Object.entries(documents)) {
      if (isDocument(identifier)) this.#doubts.add(NO_DOCUMENTS);
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
      ...this.#doubts,
      ...this.#changed.warnings(),
      ...(external_ids > 0
        ? [
            `${counted(external_ids, "customer has", "customers have")} only an external id, which is also the idempotency id of the ` +
              "onboarding; if one fails, it can't be run again without its fp_id",
          ]
        : []),
    ];
  }
}

function namesText(names: ReadonlySet<string>): string {
  const shown = [...names].sort().slice(0, MOST_SHOWN);
  const more = names.size - shown.length;
  return `${shown.map((name) => JSON.stringify(name)).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

type Columns = Map<string, CustomerColumn>;

/**
 * Reads the customers of a file, as it gives them. In JSONL the columns of CSV are fields, and `data`, `vault` and
 * `document` may also be objects; null and empty cells are left out. Adds unknown columns to `ignored`.
 *
 * @throws InputError for a file that is neither CSV nor JSONL, or whose header holds a mistaken column.
 */
async function* givenCustomers(file: InputFile, ignored: Set<string>): AsyncGenerator<GivenCustomer> {
  const columns: Columns = new Map();
  const checkHeader = (names: readonly string[], line: number) => {
    for (const name of names) columns.set(name, customerColumn(name));
    checkColumns(file, names, line, columns);
    for (const [name, { use }] of columns) if (use === "none") ignored.add(name);
  };
  for await (const row of readRows(file, checkHeader)) yield givenCustomer(row, columns, ignored);
}

function checkColumns(file: InputFile, names: readonly string[], line: number, columns: Columns): void {
  if ([...columns.values()].every(({ use }) => use === "none")) {
    // The line may be data, so it isn't quoted.
    throw fileError(
      file,
      `line ${line}: none of the ${names.length} columns is a known column`,
      `Give a header line with columns of these forms, separated by commas: ${COLUMN_FORMS}.`,
    );
  }
  for (const [at, name] of names.entries()) {
    const about = `line ${line}: column ${JSON.stringify(name)}`;
    const column = columns.get(name);
    if (column?.use === "mistaken") throw fileError(file, `${about}: ${column.rule}`, "Fix the header.");
    if (column?.use !== "none" && names.indexOf(name) !== at)
      throw fileError(file, `${about} appears twice`, "Remove one of them.");
  }
}

function givenCustomer(row: InputRow, columns: Columns, ignored: Set<string>): GivenCustomer {
  const { line, form } = row;
  const names: Record<string, unknown> = {};
  const groups: Record<ColumnGroup, Map<string, unknown>> = {
    data: new Map(),
    vault: new Map(),
    document: new Map(),
  };
  const problems: RowProblem[] = [...row.problems];
  const add = (column: string | null, broken: BrokenRule) => problems.push({ line, column, ...broken });
  if (row.losesDigits) add(null, LONG_NUMBER);
  const put = (group: ColumnGroup, name: string, value: unknown) => {
    if (value === null || (value === "" && form === "csv")) return;
    if (groups[group].has(name)) add(`${group}.${name}`, { code: "given_twice", rule: "is given twice" });
    groups[group].set(name, value);
  };
  for (const [field, value] of row.values) {
    const group = COLUMN_GROUPS.find((known) => known === field);
    const column = columns.get(field) ?? customerColumn(field);
    if (group !== undefined) {
      if (isJsonObject(value)) for (const [name, item] of Object.entries(value)) put(group, name, item);
      else if (value !== null) add(field, { code: "not_object", rule: "is not an object" });
    } else if (column.use === "group") put(column.group, column.name, value);
    else if (column.use === "mistaken") add(field, { code: "mistaken_column", rule: column.rule });
    else if (column.use === "none") ignored.add(field);
    else if (value !== null && value !== "") names[column.name] = value;
  }
  return { line, names, ...groups, problems };
}
