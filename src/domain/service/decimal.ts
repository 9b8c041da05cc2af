import { isAmount } from "./transaction-values.js";

const SCALE = 10;
const WHOLE_DIGITS = 18;
const DECIMAL = /^(-?)(\d+)(?:\.(\d{1,10}))?$/;

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

const WITH_EXPONENT = /^(-?)(\d+)(?:\.(\d+))?[eE]([+-]?\d+)$/;

/**
 * Writes a JSON number without its exponent, digit by digit, where an amount can hold it exactly: many services write
 * `1e-7` for 0.0000001. A number that has none, or that no amount can hold, stays as it is.
 */
export function withoutExponent(number: string): string {
  const [, minus, whole = "", decimals = "", exponent = ""] = WITH_EXPONENT.exec(number) ?? [];
  if (exponent === "") return number;
  const significant = (whole + decimals).replace(/^0+/, "");
  const digits = significant.replace(/0+$/, "");
  if (digits === "") return `${minus}0`;
  // The value is `digits` times ten to the power of this.
  const power = Number(exponent) - decimals.length + (significant.length - digits.length);
  if (power < -SCALE || digits.length + power > WHOLE_DIGITS) return number;
  if (power >= 0) return `${minus}${digits}${"0".repeat(power)}`;
  const padded = digits.padStart(1 - power, "0");
  return `${minus}${padded.slice(0, power)}.${padded.slice(power)}`;
}
