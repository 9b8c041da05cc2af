import { dayOf, decimalText, decimalUnits, listedAmount } from "../../service/transaction-values.js";

export interface ComparedRow {
  /** Decimal text. */
  readonly amount: string;
  readonly type: string;
  readonly currency: string;
  readonly date: string;
  readonly pending: boolean;
}

export type ComparedRows = ReadonlyMap<string, ComparedRow>;

/** Ids of transactions: how many there are, and the first of them in order. */
interface NamedRows {
  readonly count: number;
  readonly ids: readonly string[];
}

/** How the rows of one account differ between the lake and the service. */
export interface RowComparison {
  readonly missingInLake: NamedRows;
  readonly missingAtService: NamedRows;
  /** How many of those are pending: a service that replaces pending rows names none that went. */
  readonly unlistedPending: number;
  /** Rows that both have, with different values. */
  readonly changed: NamedRows;
  /** Sum of signed amounts, as `DECIMAL(28,10)` prints it. */
  readonly lakeSum: string;
  /** Null where an amount of the service's can't be read. */
  readonly serviceSum: string | null;
}

/** The table names so many ids of an account. */
const MOST_IDS = 100;

/** Compares the live rows of one account by id and by what they say. */
export function compareRows(lake: ComparedRows, service: ComparedRows): RowComparison {
  const both = [...lake].filter(([id]) => service.has(id));
  return {
    missingInLake: named([...service.keys()].filter((id) => !lake.has(id))),
    missingAtService: named([...lake.keys()].filter((id) => !service.has(id))),
    unlistedPending: [...lake].filter(([id, { pending }]) => pending && !service.has(id)).length,
    changed: named(both.filter(([id, row]) => !saysTheSame(row, service.get(id))).map(([id]) => id)),
    lakeSum: decimalText(sumOf(lake) ?? 0n),
    serviceSum: textOf(sumOf(service)),
  };
}

/** Whether a comparison found nothing. */
export function isSame({ missingInLake, missingAtService, changed }: RowComparison): boolean {
  return missingInLake.count + missingAtService.count + changed.count === 0;
}

/** A row as the service listed it, with its id and day; a field that is missing or of another type is empty. */
export function listedRow(given: unknown): readonly [id: string, row: ComparedRow] {
  const row = (typeof given === "object" && given !== null ? given : {}) as Readonly<Record<string, unknown>>;
  const text = (name: string) => (typeof row[name] === "string" ? row[name] : "");
  const [type, currency, date] = [text("type"), text("currency"), dayOf(text("date"))];
  return [
    text("transaction_id"),
    { amount: listedAmount(row.amount), type, currency, date, pending: row.pending === true },
  ];
}

function named(ids: readonly string[]): NamedRows {
  return { count: ids.length, ids: [...ids].sort().slice(0, MOST_IDS) };
}

function saysTheSame(one: ComparedRow, other: ComparedRow | undefined): boolean {
  return (
    decimalUnits(one.amount) === decimalUnits(other?.amount) &&
    one.type === other?.type &&
    one.currency === other.currency &&
    one.date === other.date &&
    one.pending === other.pending
  );
}

function sumOf(rows: ComparedRows): bigint | undefined {
  let sum = 0n;
  for (const { amount, type } of rows.values()) {
    const units = decimalUnits(amount);
    if (units === undefined) return undefined;
    const size = units < 0n ? -units : units;
    sum += type === "credit" ? size : -size;
  }
  return sum;
}

function textOf(units: bigint | undefined): string | null {
  return units === undefined ? null : decimalText(units);
}
