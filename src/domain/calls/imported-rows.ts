import type { RefusedRequest } from "../refusals.js";

export interface ImportedRows {
  readonly sent: number;
  readonly found: number;
  /** Indexes of rows that a lost or refused request may have imported. */
  readonly unknown: readonly number[];
  /** The service refused the request after it had taken a part. */
  readonly refused?: RefusedRequest & {
    /** Indexes of rows that are not in the link. */
    readonly missing: readonly number[];
  };
}

/** How to know imported rows; without it, a row that is not found may be there. */
export interface ImportEvidence {
  /** The lake has seen imported rows come back under their ids. */
  readonly isSeen: boolean;
  /** Other imported rows, of this or another link. */
  readonly beside: readonly (RowName & { readonly link_id: string })[];
}

interface RowName {
  readonly account_id: string;
  readonly transaction_id?: string | undefined;
}

/** The caller's ids of imported accounts, by the service's. */
export function ownAccounts(accounts: readonly unknown[]): ReadonlyMap<string, string> {
  const rows = accounts as readonly { readonly id?: unknown; readonly original_id?: unknown }[];
  return new Map(
    rows.flatMap(({ id, original_id: own }) => (own == null ? [] : [[String(id), String(own)]])),
  );
}

export function importedName({ account_id, transaction_id }: RowName): string {
  return JSON.stringify([account_id, transaction_id]);
}

/** A row of an answer as it may have been imported: under the service's ids or the caller's. */
export function asImported<Row extends RowName>(row: Row, own: ReadonlyMap<string, string>): Row[] {
  const { account_id: account, transaction_id: id } = row;
  const { original_id } = row as { readonly original_id?: string | null };
  return [account, own.get(account) ?? account].flatMap((account_id) =>
    [id, original_id ?? id].map((transaction_id) => ({ ...row, account_id, transaction_id })),
  );
}
