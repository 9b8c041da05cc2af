/**
 * A transaction as the service serves it (docs/reference/service.md, "Bank transactions"); scripted rows may
 * carry anything besides.
 */
export interface TransactionRow {
  transaction_id: string;
  account_id: string;
  amount: string;
  currency: string;
  date: string;
  datetime?: string | null;
  type: "debit" | "credit";
  pending: boolean;
  description?: string | null;
  raw_description?: string | null;
  category?: string | null;
  enrichment?: Record<string, unknown> | null;
  [field: string]: unknown;
}

/** Fields of a bank link to set (docs/reference/service.md, "Bank links"), such as `state` and `error_code`. */
export type LinkFields = Readonly<Record<string, unknown>>;

/** Fields of an account to set (docs/reference/service.md, "Bank accounts"). */
export type AccountFields = Readonly<Record<string, unknown>>;

/** A whole, valid transaction out of the fields that matter to a test. */
export function transactionRow(fields: Partial<TransactionRow> & { transaction_id: string }): TransactionRow {
  return {
    account_id: "acc_1",
    amount: "12.34",
    currency: "USD",
    date: "2026-11-01",
    datetime: null,
    type: "debit",
    pending: false,
    description: "Coffee",
    raw_description: "COFFEE 0001",
    ...fields,
  };
}

/** A whole bank link. */
export function linkRecord(id: string, fpId: string, fields: LinkFields = {}): Record<string, unknown> {
  const at = "2026-01-15T08:30:00+00:00";
  return {
    id,
    fp_id: fpId,
    created_at: at,
    state: "connected",
    available_products: ["accounts", "transactions", "enrichment"],
    products: {
      accounts: { last_attempted_at: at, refreshed_at: at },
      transactions: { last_attempted_at: at, refreshed_at: at },
    },
    institution_id: "ins_17",
    institution_name: "First Example Bank",
    institution_logo: null,
    provider: "example",
    tags: ["primary"],
    ...fields,
  };
}

/** A whole bank account. */
export function accountRecord(
  id: string,
  linkId: string,
  fields: AccountFields = {},
): Record<string, unknown> {
  return {
    id,
    link_id: linkId,
    name: "Checking",
    nickname: null,
    mask: "0001",
    closed: false,
    account_type: "depository.checking",
    balances: {
      available: "1250.10",
      balance_date: "2026-11-20T06:00:00Z",
      currency: "USD",
      current: "1300.00",
      limit: null,
    },
    raw_provider_data: { source: "example" },
    ...fields,
  };
}
