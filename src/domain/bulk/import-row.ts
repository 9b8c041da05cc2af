import type { RequestEnd } from "./halving.js";

export interface ImportRow {
  readonly link_id: string;
  readonly account_id: string;
  /** A decimal number as text. */
  readonly amount: string;
  /** ISO 8601. */
  readonly date: string;
  readonly description?: string | undefined;
  readonly transaction_id?: string | undefined;
  readonly transaction_type?: "debit" | "credit" | undefined;
}

/** The ledger can identify it. */
export type NamedImportRow = ImportRow & { readonly transaction_id: string };

/** What identifies a row in the file, in the ledger and in its link. */
export function importKey({ link_id, account_id, transaction_id }: Partial<ImportRow>): string {
  return JSON.stringify([link_id, account_id, transaction_id]);
}

/**
 * Names rows that have no id, each after its content and its ordinal among rows of the same content: the same file
 * gives the same names, and two identical real payments stay two.
 */
export function importNames(sha256: (text: string) => string): (row: ImportRow) => NamedImportRow {
  const seen = new Map<string, number>();
  return (row) => {
    const { link_id, account_id, amount, date, description, transaction_id, transaction_type } = row;
    if (transaction_id !== undefined) return { ...row, transaction_id };
    const content = sha256(
      JSON.stringify([link_id, account_id, amount, date, description, transaction_type]),
    );
    const ordinal = (seen.get(content) ?? 0) + 1;
    seen.set(content, ordinal);
    return { ...row, transaction_id: `nl-${sha256(`${content}/${ordinal}`).slice(0, 32)}` };
  };
}

export function rowsName(
  rows: readonly { readonly line: number }[],
  sha256: (text: string) => string,
): string {
  return sha256(JSON.stringify(rows.map(({ line }) => line))).slice(0, 16);
}

/** What the ledger says of a row from earlier runs. */
export type LedgerStatus = "accepted" | "unknown";

/** What became of each row of one request, in their order. */
export interface ImportedChunk {
  readonly chunk: string;
  readonly rows: readonly (
    | RequestEnd
    | { readonly status: "skipped"; readonly reason: string; readonly refused?: undefined }
  )[];
  /** ISO instant. */
  readonly at: string;
}

/** A request has less than 1 MB. UTF-8 needs at most three bytes for each unit of a text. */
const MOST_TEXT = 330_000;

/** Cuts rows into chunks of one link each, in their order, of at most `size` rows. */
export function chunksOf<R extends { readonly row: ImportRow }>(rows: readonly R[], size: number): R[][] {
  const open = new Map<string, { readonly chunk: R[]; text: number }>();
  const chunks: R[][] = [];
  for (const one of rows) {
    const text = JSON.stringify(one.row).length + 1;
    let last = open.get(one.row.link_id);
    if (last === undefined || last.chunk.length === size || last.text + text > MOST_TEXT) {
      last = { chunk: [], text: 0 };
      chunks.push(last.chunk);
      open.set(one.row.link_id, last);
    }
    last.chunk.push(one);
    last.text += text;
  }
  return chunks;
}
