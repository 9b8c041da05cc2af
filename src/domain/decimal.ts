const SCALE = 10;
const DECIMAL = /^(-?)(\d{1,18})(?:\.(\d{1,10}))?$/;

/**
 * Reads a decimal text into units of 10⁻¹⁰, never through a float; `undefined` where
 * docs/use/tables.md, "Accepted values", quarantines.
 */
export function decimalUnits(text: unknown): bigint | undefined {
  const match = typeof text === "string" ? DECIMAL.exec(text) : null;
  if (!match) return undefined;
  const units = BigInt(match[2]! + (match[3] ?? "").padEnd(SCALE, "0"));
  return match[1] ? -units : units;
}

/** Writes units of 10⁻¹⁰ as `DECIMAL(28,10)` prints them: always ten decimals. */
export function decimalText(units: bigint): string {
  const digits = (units < 0n ? -units : units).toString().padStart(SCALE + 1, "0");
  return `${units < 0n ? "-" : ""}${digits.slice(0, -SCALE)}.${digits.slice(-SCALE)}`;
}
