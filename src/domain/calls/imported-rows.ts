import type { RefusedRequest } from "../refusals.js";

export interface ImportedRows {
  readonly sent: number;
  readonly found: number;
  /** Indexes of rows whose fate is unknown: nothing tells whether a lost or refused request imported them. */
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
  /** Other rows that are imported, of the same link or another. */
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

/** A row that came back, as it may have been imported: by the service's ids, or the caller's beside them. */
export function asImported<Row extends RowName>(row: Row, own: ReadonlyMap<string, string>): Row[] {
  const { account_id: account, transaction_id: id } = row;
  const { original_id } = row as { readonly original_id?: string | null };
  return [account, own.get(account) ?? account].flatMap((account_id) =>
    [id, original_id ?? id].map((transaction_id) => ({ ...row, account_id, transaction_id })),
  );
}
