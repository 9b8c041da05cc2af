import { HIDDEN } from "../../service/external-id.js";
import type { CipReportFacts } from "./report.js";

const LAST_DIGITS = 4;
/** A shorter tax id shows none of its last digits. */
const DIGITS_OF_TAX_ID = 9;
const SHORTEST_TAKEN_OUT = 4;

/** How a report's sensitive values are shown. */
export interface Mask {
  taxId(value: string): string;
  birthDate(value: string): string;
  address(value: string): string;
  ipAddress(value: string): string;
  /** Any other text, which may quote them. */
  text(value: string): string;
}

const same = (value: string): string => value;
export const UNMASKED: Mask = { taxId: same, birthDate: same, address: same, ipAddress: same, text: same };

/** Hides sensitive values, also where other texts quote them. */
export function maskOf({
  checked_data,
  ip_address,
}: Pick<CipReportFacts, "checked_data" | "ip_address">): Mask {
  const quoted = [
    ...writingsOfTaxId(checked_data.tax_id ?? ""),
    ...writingsOfDay(checked_data.date_of_birth),
    checked_data.address,
    ip_address,
  ]
    .map((value) => value.trim())
    .filter((value) => value.length >= SHORTEST_TAKEN_OUT)
    .sort((a, b) => b.length - a.length);
  return {
    taxId: maskedTaxId,
    birthDate: (value) => (/^\d{4}-/.test(value) ? `${value.slice(0, 4)}-••-••` : hidden(value)),
    address: hidden,
    ipAddress: (value) => {
      const [, network] = /^(\d{1,3}\.\d{1,3}\.)\d{1,3}\.\d{1,3}$/.exec(value) ?? [];
      return network === undefined ? hidden(value) : `${network}•.•`;
    },
    text: (value) => quoted.reduce((left, one) => left.replaceAll(one, HIDDEN), value),
  };
}

function hidden(value: string): string {
  return value === "" ? "" : HIDDEN;
}

function maskedTaxId(value: string): string {
  const digits = value.replaceAll(/\D/g, "");
  return digits.length < DIGITS_OF_TAX_ID ? hidden(value) : `${HIDDEN}${digits.slice(-LAST_DIGITS)}`;
}

function writingsOfTaxId(value: string): string[] {
  const digits = value.replaceAll(/\D/g, "");
  if (digits.length !== DIGITS_OF_TAX_ID) return [value, digits];
  const parts = [digits.slice(0, 3), digits.slice(3, 5), digits.slice(5)];
  return [value, digits, parts.join("-"), parts.join(" "), `${digits.slice(0, 2)}-${digits.slice(2)}`];
}

function writingsOfDay(value: string): string[] {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)/.exec(value) ?? [];
  if (year === undefined || month === undefined || day === undefined) return [value];
  const [m, d] = [String(Number(month)), String(Number(day))];
  return [
    value,
    ...[`${year}-${month}-${day}`, `${year}/${month}/${day}`, `${year}${month}${day}`],
    ...[`${month}/${day}/${year}`, `${m}/${d}/${year}`, `${month}-${day}-${year}`],
    ...[`${day}.${month}.${year}`, `${d}.${m}.${year}`, `${day}/${month}/${year}`, `${day}-${month}-${year}`],
  ];
}
