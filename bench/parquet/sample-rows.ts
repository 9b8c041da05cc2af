/** A row of the comparison: what both writers are given. */
interface SampleRow {
  readonly transaction_id: string;
  readonly account_id: string;
  /** Decimal text, as the service sends it. */
  readonly amount: string;
  /** As text: JSON's numbers would be rounded before any writer sees them. */
  readonly sequence: string;
  readonly date: string;
  readonly description: string;
}

/** Values that a double can't hold: where a writer goes through one, they come back changed. */
export const AWKWARD = { amount: "999999999999999999.9999999999", sequence: "9007199254740993" } as const;

const TEXTS = ["Corner Bakery", "Café Zürich", "City Power and Light", "東京電力"];

/** The n-th row; the first has the awkward values. */
function sampleRow(index: number): SampleRow {
  return {
    transaction_id: `txn_link_000001_1_${String(index).padStart(8, "0")}`,
    account_id: `acc_${index % 4}`,
    amount: index === 0 ? AWKWARD.amount : `${index % 5_000}.${String(index % 100).padStart(2, "0")}`,
    sequence: index === 0 ? AWKWARD.sequence : String(index + 1),
    date: `2026-${String((index % 12) + 1).padStart(2, "0")}-${String((index % 28) + 1).padStart(2, "0")}`,
    description: TEXTS[index % TEXTS.length] ?? "",
  };
}

/** Rows as lines of JSON: what both writers begin with, as pages are staged as JSON. */
export function sampleLines(rows: number): string {
  return Array.from({ length: rows }, (_, index) => `${JSON.stringify(sampleRow(index))}\n`).join("");
}
