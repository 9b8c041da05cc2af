import { decimalText, decimalUnits, type Sandbox } from "../../../sandbox/index.js";

type Row = Readonly<Record<string, unknown>>;
type Rows = (sql: string) => Promise<readonly Row[]>;

const TEXTS = ["account_id", "description", "type", "security_id"];
const DECIMALS = ["amount", "fees", "forex_rate", "price", "quantity"];
const SECURITY_TEXTS = ["name", "currency", "type", "ticker", "isin", "sedol"];

/** What is not exactly right of a lake's investments after a sync of some links, in words. */
export async function auditInvestments(
  rows: Rows,
  sandbox: Sandbox,
  links: readonly string[],
): Promise<string[]> {
  return [
    ...(await auditTransactions(rows, sandbox, links)),
    ...(await auditSecurities(rows, sandbox, links)),
    ...(await auditChanges(rows, "investment_transaction_changes", "investment_transaction_id")),
    ...(await auditChanges(rows, "security_changes", "security_id")),
  ];
}

async function auditTransactions(rows: Rows, sandbox: Sandbox, links: readonly string[]) {
  const expected = new Map<string, string>();
  for (const link of links) {
    for (const row of sandbox.investments.truth(link).transactions as Row[]) {
      const id = row.investment_transaction_id;
      expected.set(
        `${link}/${id}`,
        JSON.stringify({
          ...{ link_id: link, fp_id: sandbox.world.link(link).fpId, investment_transaction_id: id },
          ...valuesOf(row, TEXTS, DECIMALS),
          ...{ date: row.date, datetime_text: row.datetime ?? null },
        }),
      );
    }
  }
  const columns = ["link_id", "fp_id", "investment_transaction_id", ...TEXTS].join(", ");
  const found = await rows(`select ${columns}, ${asText(DECIMALS)}, date::varchar as date, datetime_text
    from investment_transactions`);
  return differences(
    "investment_transactions",
    expected,
    new Map(found.map((row) => [`${row.link_id}/${row.investment_transaction_id}`, JSON.stringify(row)])),
  );
}

async function auditSecurities(rows: Rows, sandbox: Sandbox, links: readonly string[]) {
  const expected = new Map<string, string>();
  for (const link of links) {
    const { transactions, securities } = sandbox.investments.truth(link);
    const named = new Set((transactions as Row[]).map(({ security_id }) => security_id));
    for (const row of (securities as Row[]).filter(({ security_id }) => named.has(security_id))) {
      const values = valuesOf(row, SECURITY_TEXTS, ["close_price"]);
      expected.set(`${link}/${row.security_id}`, JSON.stringify(values));
    }
  }
  const found =
    await rows(`select link_id, security_id, ${SECURITY_TEXTS.join(", ")}, ${asText(["close_price"])}
    from securities`);
  const known = found.map(({ link_id, security_id, ...row }): [string, string] => [
    `${link_id}/${security_id}`,
    JSON.stringify(row),
  ]);
  // A security whose rows are all gone stays.
  return differences("securities", expected, new Map(known.filter(([key]) => expected.has(key))));
}

/** Each change follows the one before it: nothing is created or removed twice, and an update changes something. */
async function auditChanges(rows: Rows, table: string, id: string) {
  const wrong = await rows(`
    select ${id} as id, change_type, before from (
      select *, lag(change_type) over key as before, lag(values) over key as same from (
        select *, hash(*columns(* exclude (run_id, observed_at, change_type))) as values from ${table})
      window key as (partition by fp_id, link_id, ${id} order by observed_at))
    where (change_type = 'created') <> coalesce(before = 'removed', true)
      or (change_type = 'updated' and values = same) or (change_type = 'removed' and values <> same)`);
  return wrong.map((row) => `${table}: ${JSON.stringify(row)}`);
}

function valuesOf(row: Row, texts: readonly string[], decimals: readonly string[]): Row {
  const decimal = (value: unknown) => {
    const units = value === null || value === undefined ? undefined : decimalUnits(String(value));
    return units === undefined ? null : decimalText(units);
  };
  return Object.fromEntries([
    ...texts.map((name) => [name, row[name] ?? null]),
    ...decimals.map((name) => [name, decimal(row[name])]),
  ]);
}

function asText(names: readonly string[]): string {
  return names.map((name) => `${name}::varchar as ${name}`).join(", ");
}

function differences(
  table: string,
  expected: ReadonlyMap<string, string>,
  found: ReadonlyMap<string, string>,
): string[] {
  const problems: string[] = [];
  for (const [key, row] of found) {
    if (expected.get(key) !== row) problems.push(`${table}: ${row}, not ${expected.get(key)}`);
  }
  for (const key of expected.keys()) if (!found.has(key)) problems.push(`${table}: ${key} is missing`);
  return problems;
}
