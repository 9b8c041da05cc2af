import type { RefusedRequest } from "../refusals.js";
import { decimalUnits, withoutExponent } from "../service/transaction-values.js";

export interface ImportedRows {
  readonly sent: number;
  readonly found: number;
  /** Indexes of rows whose fate is unknown: nothing tells whether a lost request imported them. */
  readonly unknown: readonly number[];
  /** Set where the service refused the request after it had taken a part of it. */
  readonly refused?: RefusedRequest & {
    /** Indexes of rows that are not in the link. */
    readonly missing: readonly number[];
  };
}

/** What tells whether imported rows come back under their ids; without that, a row that is not found may be there. */
export interface ImportEvidence {
  /** The lake has seen that they do. */
  readonly isSeen: boolean;
  /** Other rows that were imported, or are about to be, of the same link or another. */
  readonly beside: readonly (SentRow & { readonly link_id?: string })[];
}

/** A row as it is sent, or as it comes back; then it may have more fields, of any type. */
export interface SentRow {
  readonly account_id: string;
  readonly transaction_id?: string | undefined;
  readonly amount?: unknown;
  readonly date?: unknown;
  readonly description?: unknown;
  readonly original_id?: unknown;
  readonly raw_description?: unknown;
}

type OwnAccounts = ReadonlyMap<string, string>;
const NONE: OwnAccounts = new Map();

/** The caller's ids of imported accounts, by the service's. */
export function ownAccounts(accounts: readonly unknown[]): OwnAccounts {
  const pairs = accounts.map((one) => one as { readonly id?: unknown; readonly original_id?: unknown });
  return new Map(
    pairs.flatMap(({ id, original_id: own }) => (own == null ? [] : [[String(id), String(own)]])),
  );
}

/**
 * The names that a row may be imported under: each of its accounts' ids with each of its own. A row that is sent has one
 * at most.
 */
function namesOf(row: SentRow, own: OwnAccounts = NONE): string[] {
  const ids = [row.transaction_id, row.original_id].filter((id) => id != null);
  return accountsOf(row, own).flatMap((account) => ids.map((id) => JSON.stringify([account, id])));
}

/** The names with the size of the amount: a service may write it, and its sign, in its own way. */
export function paymentsOf(row: SentRow, own: OwnAccounts = NONE): string[] {
  return namesOf(row, own).map((name) => JSON.stringify([name, sizeOf(row)]));
}

/** All that a row may be known by. */
export function allNamesOf(row: SentRow, own: OwnAccounts = NONE): string[] {
  return [...namesOf(row, own), ...contentsOf(row, own)];
}

/** Everything to look for in a link because an import into it was lost. */
export function soughtNames(sent: readonly SentRow[], { beside }: ImportEvidence): Set<string> {
  return new Set([...sent.flatMap((row) => allNamesOf(row)), ...beside.flatMap((row) => namesOf(row))]);
}

type NamesThere = ReadonlyMap<string, ReadonlySet<string>>;

/** Whether a row of the evidence came back under its id. */
export function isNameIn({ beside }: ImportEvidence, there: NamesThere): boolean {
  return beside.some((row) => there.has(namesOf(row)[0] ?? ""));
}

/** What became of the rows of a lost import, by their indexes. */
interface ImportFate extends Pick<ImportedRows, "found" | "unknown"> {
  /** They were certainly not imported. */
  readonly missing: readonly number[];
  /** Nothing tells yet whether rows come back under their ids; `found` are known by their content. */
  readonly isUnsure: boolean;
}

/**
 * Judges rows of a lost import. A row that has no id there counts as missing only where imported rows are seen to come
 * back under their ids.
 *
 * @param there which of {@link soughtNames} rows of the link have, with the service's ids of these rows
 */
export function fateOf(sent: readonly SentRow[], evidence: ImportEvidence, there: NamesThere): ImportFate {
  const names = sent.map((row) => namesOf(row)[0]);
  const absent = [...sent.keys()].filter((at) => !there.has(names[at] ?? ""));
  const found = sent.length - absent.length;
  if (evidence.isSeen || found > 0 || isNameIn(evidence, there)) {
    const isNamed = (at: number) => names[at] !== undefined;
    return {
      found,
      missing: absent.filter(isNamed),
      unknown: absent.filter((at) => !isNamed(at)),
      isUnsure: false,
    };
  }
  const contents = sent.flatMap((row) => contentsOf(row).slice(0, 1));
  const fits = (content: string) =>
    there.get(content)?.size === 1 && contents.filter((one) => one === content).length === 1;
  const unknown = absent.filter((at) => !fits(contents[at] ?? ""));
  return { found: sent.length - unknown.length, missing: [], unknown, isUnsure: true };
}

/** What a row is about: account, size of the amount, day and description, which a service may clean. */
function contentsOf(row: SentRow, own: OwnAccounts = NONE): string[] {
  const texts = new Set([row.description ?? "", row.raw_description ?? row.description ?? ""]);
  const day = String(row.date).slice(0, 10);
  return accountsOf(row, own).flatMap((account) =>
    [...texts].map((text) => JSON.stringify(["content", account, sizeOf(row), day, text])),
  );
}

function accountsOf({ account_id }: SentRow, own: OwnAccounts): string[] {
  return [...new Set([account_id, own.get(account_id) ?? account_id])];
}

function sizeOf({ amount }: SentRow): string | undefined {
  const text = typeof amount === "number" ? withoutExponent(String(amount)) : amount;
  return decimalUnits(text)?.toString().replace("-", "");
}
