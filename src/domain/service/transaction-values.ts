/** What a transaction's values must look like to be loaded without loss (docs/use/tables.md, "Accepted values"). */

const AMOUNT = /^-?\d{1,18}(\.\d{1,10}0*)?$/;
const DAY = /^(\d{4})-(\d\d)-(\d\d)$/;
/** Nothing visible. */
const BLANK = /^[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]*$/u;
const LONE_SURROGATE = /\p{Surrogate}/u;

/** Money as the service writes it: what `DECIMAL(28,10)` holds exactly, without exponent, sign `+` or spaces. */
export function isAmount(text: string): boolean {
  return AMOUNT.test(text);
}

/** A decimal with any number of decimals. */
export function isDecimal(text: string): boolean {
  return /^-?\d{1,18}(\.\d+)?$/.test(text);
}

/** Whether a value has more decimals than a column of money. */
export function exceedsMoney(value: unknown): boolean {
  return typeof value === "string" && isDecimal(value) && !isAmount(value);
}

/** Why a text is not money as {@link isAmount} has it; `other` is said of a text that is no decimal at all. */
export function amountProblem(text: string, other: string): string {
  const [, whole = "", decimals = ""] = /^-?(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  if (whole.length > 18) return "has more than 18 digits before the point";
  return decimals.length > 10 ? "has more than ten decimals" : other;
}

/** A `YYYY-MM-DD` that is in the calendar. The year 0000 is not: readers of DATE columns refuse it. */
export function isRealDay(text: string): boolean {
  const match = DAY.exec(text);
  if (match === null) return false;
  const year = Number(match[1]);
  const month = Number(match[2]);
  const day = Number(match[3]);
  if (year === 0 || month === 0 || month > 12 || day === 0) return false;
  // A day that the month lacks would become one of the next month. Every month has the first 28.
  return day <= 28 || new Date(Date.UTC(year, month - 1, day)).getUTCDate() === day;
}

const DATE_TIME = /^(\d{4}-\d\d-\d\d)T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?$/;

/** The day of an ISO 8601 date with a time: its first ten characters. Any other text stays as it is. */
export function dayOf(text: string): string {
  return DATE_TIME.exec(text)?.[1] ?? text;
}

/** An ISO 8601 date, `YYYY-MM-DD` or with a time, whose day is in the calendar. */
export function isIsoDate(text: string): boolean {
  return isRealDay(dayOf(text));
}

export function isBlank(text: string): boolean {
  return BLANK.test(text);
}

/** Half of a surrogate pair: JSON can hold it, UTF-8 can't, and DuckDB refuses the whole file. */
export function hasLoneSurrogate(text: string): boolean {
  return LONE_SURROGATE.test(text);
}

export const TRANSACTION_TYPES = ["debit", "credit"] as const;

const SCALE = 10;
const MOST_DECIMALS = 100;
const WHOLE_DIGITS = 18;
const DECIMAL = /^(-?)(\d+)(?:\.(\d{1,10})0*)?$/;

/** Reads an amount into units of 10⁻¹⁰, never through a float; `undefined` for what is quarantined. */
export function decimalUnits(text: unknown): bigint | undefined {
  return typeof text === "string" && isAmount(text) ? sumUnits(text) : undefined;
}

/** Reads a sum of amounts, which may have more digits than one. */
export function sumUnits(text: string | null): bigint | undefined {
  const [, minus, whole = "", decimals = ""] = (text === null ? null : DECIMAL.exec(text)) ?? [];
  if (whole === "") return undefined;
  const units = BigInt(whole + decimals.padEnd(SCALE, "0"));
  return minus === "-" ? -units : units;
}

/** Writes units of 10⁻¹⁰ as `DECIMAL(28,10)` prints them: always ten decimals. */
export function decimalText(units: bigint): string {
  const digits = (units < 0n ? -units : units).toString().padStart(SCALE + 1, "0");
  return `${units < 0n ? "-" : ""}${digits.slice(0, -SCALE)}.${digits.slice(-SCALE)}`;
}

/** The amount of a row as it was listed, a JSON number as its text; another value is empty. */
export function listedAmount(given: unknown): string {
  if (typeof given === "number") return withoutExponent(String(given));
  return typeof given === "string" ? given : "";
}

const WITH_EXPONENT = /^(-?)(\d+)(?:\.(\d+))?[eE]([+-]?\d+)$/;

/**
 * Writes a JSON number without its exponent, digit by digit: many services write `1e-7` for 0.0000001. A number that has
 * none, or that is too large for an amount or too small to be written, stays as it is.
 */
export function withoutExponent(number: string): string {
  const [, minus, whole = "", decimals = "", exponent = ""] = WITH_EXPONENT.exec(number) ?? [];
  if (exponent === "") return number;
  const significant = (whole + decimals).replace(/^0+/, "");
  const digits = significant.replace(/0+$/, "");
  if (digits === "") return `${minus}0`;
  // The value is `digits` times ten to the power of this.
  const power = Number(exponent) - decimals.length + (significant.length - digits.length);
  if (power < -MOST_DECIMALS || digits.length + power > WHOLE_DIGITS) return number;
  if (power >= 0) return `${minus}${digits}${"0".repeat(power)}`;
  const padded = digits.padStart(1 - power, "0");
  return `${minus}${padded.slice(0, power)}.${padded.slice(power)}`;
}
