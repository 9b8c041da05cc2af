const AMOUNT_MARK = "000.00";
const DATE_MARK = "0000-00-00";
const MERCHANTS = [
  ["Corner Bakery", "food"],
  ["Metro Transit Authority", "transport"],
  ["Café Zürich", "food"],
  ["Employer Payroll Services", "income"],
  ["City Power and Light", "utilities"],
  ["Booknook", "shopping"],
] as const;

/** How many shapes the rows of a link take. */
export const VARIANTS = 24;

/** The JSON of a row with holes of fixed width: a page of 500 rows is filled in by copying, not by building texts. */
export class RowTemplate {
  readonly #bytes: Buffer;
  readonly #idEnd: number;
  readonly #amountEnd: number;
  readonly #date: readonly number[];

  private constructor(text: string, idDigits: number, idPrefix: string) {
    this.#bytes = Buffer.from(text);
    this.#idEnd = this.#bytes.indexOf(idPrefix) + Buffer.byteLength(idPrefix) + idDigits;
    this.#amountEnd = this.#bytes.indexOf(`${AMOUNT_MARK}"`) + AMOUNT_MARK.length;
    const date = this.#bytes.indexOf(`"${DATE_MARK}"`) + 1;
    const time = this.#bytes.indexOf(`"${DATE_MARK}T`) + 1;
    this.#date = time > 0 ? [date, time] : [date];
  }

  /** One of the `VARIANTS` shapes that the rows of a link take. */
  static variant(
    index: number,
    idPrefix: string,
    accounts: readonly string[],
    idDigits: number,
  ): RowTemplate {
    const [name, category] = MERCHANTS[index % MERCHANTS.length]!;
    const whole = ["", "", "1", "-", "2", "74"][Math.floor(index / 4)]!;
    const party = {
      id: `mer_${1000 + index}`,
      name,
      logo: `https://logos.example/${index}.png`,
      confidence: 0.97,
    };
    const row = {
      transaction_id: idPrefix + "0".repeat(idDigits),
      account_id: accounts[index % accounts.length],
      amount: whole + AMOUNT_MARK,
      currency: "USD",
      date: DATE_MARK,
      datetime: index % 3 === 0 ? null : `${DATE_MARK}T0${index % 10}:30:00Z`,
      type: index % 5 === 0 ? "credit" : "debit",
      pending: false,
      description: name,
      raw_description: `POS PURCHASE ${2000 + index} ${name.toUpperCase()}`,
      enrichment: {
        category: { value: category, confidence: index % 2 ? 0.91 : "0.91" },
        subcategory: { value: `${category}.general`, confidence: 0.5 },
        ...(index % 4 === 0 ? {} : { merchant: party }),
      },
    };
    return new RowTemplate(JSON.stringify(row), idDigits, idPrefix);
  }

  get length(): number {
    return this.#bytes.length;
  }

  /** Writes the row at `at` and gives the place after it. */
  write(out: Buffer, at: number, index: number, cents: number, date: string): number {
    out.set(this.#bytes, at);
    let place = at + this.#idEnd;
    for (let rest = index; rest > 0; rest = Math.trunc(rest / 10)) out[--place] = 0x30 + (rest % 10);
    place = at + this.#amountEnd;
    for (let digit = 0, rest = cents; digit < 5; digit++, rest = Math.trunc(rest / 10)) {
      if (digit === 2) place--;
      out[--place] = 0x30 + (rest % 10);
    }
    for (const start of this.#date) {
      for (let i = 0; i < 10; i++) out[at + start + i] = date.charCodeAt(i);
    }
    return at + this.#bytes.length;
  }
}
