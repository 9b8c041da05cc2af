import { isAmount } from "./transaction-values.js";

const SCALE = 10;
const DECIMAL = /^(-?)(\d+)(?:\.(\d{1,10}))?$/;

/**
 * Reads an amount into units of 10⁻¹⁰, never through a float; `undefined` where docs/use/tables.md, "Accepted values",
 * quarantines.
 */
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
