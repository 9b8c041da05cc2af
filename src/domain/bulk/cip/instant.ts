import { isRealDay } from "../../service/transaction-values.js";

const INSTANT = /^(\d{4}-\d\d-\d\d)[T ]((?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d)(?:\.(\d+))?(Z|[+-]\d\d:?\d\d)$/;
const MICRO_DIGITS = 6;

/**
 * A text as an instant in UTC with six decimals, cut off beyond; null where it has no offset or names no day of the
 * calendar (docs/use/tables.md, "Accepted values"). Two of them compare as texts.
 */
export function instantOf(text: string | null | undefined): string | null {
  const match = INSTANT.exec(text ?? "");
  if (match === null) return null;
  const [, day = "", time = "", fraction = "", offset = ""] = match;
  if (!isRealDay(day)) return null;
  const colon = offset.length === 5 ? `${offset.slice(0, 3)}:${offset.slice(3)}` : offset;
  const at = Date.parse(`${day}T${time}${colon}`);
  if (Number.isNaN(at)) return null;
  const whole = new Date(at).toISOString();
  // Years of another length come of an offset around the first and the last of them.
  if (!/^(?!0000)\d{4}-/.test(whole)) return null;
  return `${whole.slice(0, -5)}.${fraction.slice(0, MICRO_DIGITS).padEnd(MICRO_DIGITS, "0")}Z`;
}
