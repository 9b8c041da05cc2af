/** Values that load without loss (docs/use/tables.md, "Accepted values"). */

const AMOUNT = /^-?\d{1,18}(\.\d{1,10}0*)?$/;
const DAY = /^(\d{4})-(\d\d)-(\d\d)$/;
const BLANK = /^[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]*$/u;
const LONE_SURROGATE = /\p{Surrogate}/u;

/** Money that `DECIMAL(28,10)` holds exactly, without exponent, sign `+` or spaces. */
export function isAmount(text: string): boolean {
  return AMOUNT.test(text);
}

export function isDecimal(text: string): boolean {
  return /^-?\d{1,18}(\.\d+)?$/.test(text);
}

/** Whether a value has more decimals than a column of money. */
export function exceedsMoney(value: unknown): boolean {
  return typeof value === "string" && isDecimal(value) && !isAmount(value);
}

/** Why a text is not money; `other` where it is no decimal at all. */
export function amountProblem(text: string, other: string): string {
  const [, whole = "", decimals = ""] = /^-?(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  if (whole.length > 18) return "has more than 18 digits before the point";
  return decimals.length > 10 ? "has more than ten decimals" : other;
}

/** A `YYYY-MM-DD` in the calendar, after year 0000, which readers of DATE columns refuse. */
export function isRealDay(text: string): boolean {
  const match = DAY.exec(text);
  if (match === null) return false;
  const year = Number(match[1]);
  const month = Number(match[2]);
  const day = Number(match[3]);
  if (year === 0 || month === 0 || month > 12 || day === 0) return false;
  // `Date` moves a day that the month lacks into the next month.
  return day <= 28 || new Date(Date.UTC(year, month - 1, day)).getUTCDate() === day;
}

const DATE_TIME = /^(\d{4}-\d\d-\d\d)T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?$/;

/** The day of an ISO 8601 date with a time; any other text as it is. */
export function dayOf(text: string): string {
  return DATE_TIME.exec(text)?.[1] ?? text;
}

export function isIsoDate(text: string): boolean {
  return isRealDay(dayOf(text));
}

export function isBlank(text: string): boolean {
  return BLANK.test(text);
}

/** JSON can hold half of a surrogate pair; UTF-8 can't, and DuckDB refuses the whole file. */
export function hasLoneSurrogate(text: string): boolean {
  return LONE_SURROGATE.test(text);
}

export const TRANSACTION_TYPES = ["debit", "credit"] as const;

const SCALE = 10;
const MOST_DECIMALS = 100;
const WHOLE_DIGITS = 18;
const DECIMAL = /^(-?)(\d+)(?:\.(\d{1,10})0*)?$/;

/** An amount in units of 10⁻¹⁰, never through a float; undefined for what is quarantined. */
export function decimalUnits(text: unknown): bigint | undefined {
  return typeof text === "string" && isAmount(text) ? sumUnits(text) : undefined;
}

/** A sum of amounts, which may have more digits than one. */
export function sumUnits(text: string | null): bigint | undefined {
  const [, minus, whole = "", decimals = ""] = (text === null ? null : DECIMAL.exec(text)) ?? [];
  if (whole === "") return undefined;
  const units = BigInt(whole + decimals.padEnd(SCALE, "0"));
  return minus === "-" ? -units : units;
}

/** Units of 10⁻¹⁰ as `DECIMAL(28,10)` prints them: always ten decimals. */
export function decimalText(units: bigint): string {
  const digits = (units < 0n ? -units : units).toString().padStart(SCALE + 1, "0");
  return `${units < 0n ? "-" : ""}${digits.slice(0, -SCALE)}.${digits.slice(-SCALE)}`;
}

/** A row's amount as text; empty for another value. */
export function listedAmount(given: unknown): string {
  if (typeof given === "number") return withoutExponent(String(given));
  return typeof given === "string" ? given : "";
}

const WITH_EXPONENT = /^(-?)(\d+)(?:\.(\d+))?[eE]([+-]?\d+)$/;

/**
 * A JSON number without its exponent: many services write `1e-7`. One without, or too large or small for an amount,
 * stays as it is.
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
