import { isRealDay } from "../../service/transaction-values.js";

type Optional = string | null | undefined;
type Verdict = "clear" | "consider";

/** docs/reference/service.md, "CIP report". */
export interface CipReportFacts {
  readonly approved_at: string;
  readonly approved_by: string;
  readonly approved_reason?: Optional;
  readonly check_initiated_at?: Optional;
  readonly check_completed_at?: Optional;
  readonly kyc_completed_at?: Optional;
  readonly ip_address: string;
  readonly result: Verdict;
  readonly date_of_birth: Verdict;
  readonly date_of_birth_breakdown: readonly string[];
  readonly matched_address: Verdict;
  readonly matched_addresses: readonly string[];
  readonly tax_id: Verdict;
  readonly tax_id_breakdown: readonly string[];
  readonly checked_data: {
    readonly address: string;
    readonly customer_name: string;
    readonly date_of_birth: string;
    readonly tax_id?: Optional;
  };
  readonly watchlist: {
    readonly adverse_media: Verdict;
    readonly monitored_lists: Verdict;
    readonly politically_exposed_person: Verdict;
    readonly result: Verdict;
    readonly sanction: Verdict;
    readonly check_completed_at: string;
    readonly records: readonly unknown[];
  };
}

/** In the order of display. */
export const CIP_ELEMENTS = [
  "result",
  "date_of_birth",
  "matched_address",
  "tax_id",
  "watchlist.result",
  "watchlist.sanction",
  "watchlist.politically_exposed_person",
  "watchlist.adverse_media",
  "watchlist.monitored_lists",
] as const;
export type CipElement = (typeof CIP_ELEMENTS)[number];

/** Verdicts with their verification sources; null for none. */
export function findingsOf(report: CipReportFacts) {
  const { watchlist } = report;
  const found: Readonly<Record<CipElement, readonly [Verdict, (readonly string[])?]>> = {
    result: [report.result],
    date_of_birth: [report.date_of_birth, report.date_of_birth_breakdown],
    matched_address: [report.matched_address, report.matched_addresses],
    tax_id: [report.tax_id, report.tax_id_breakdown],
    "watchlist.result": [watchlist.result],
    "watchlist.sanction": [watchlist.sanction],
    "watchlist.politically_exposed_person": [watchlist.politically_exposed_person],
    "watchlist.adverse_media": [watchlist.adverse_media],
    "watchlist.monitored_lists": [watchlist.monitored_lists],
  };
  return CIP_ELEMENTS.map((element) => {
    const [verdict, sources = null] = found[element];
    return { element, verdict, sources };
  });
}

const INSTANT = /^(\d{4}-\d\d-\d\d)[T ]((?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d)(?:\.(\d+))?(Z|[+-]\d\d:?\d\d)$/;
const MICRO_DIGITS = 6;

/** UTC with six decimals, comparable as text; null without an offset or a real day. */
export function instantOf(text: string | null | undefined): string | null {
  const match = INSTANT.exec(text ?? "");
  if (match === null) return null;
  const [, day = "", time = "", fraction = "", offset = ""] = match;
  if (!isRealDay(day)) return null;
  const colon = offset.length === 5 ? `${offset.slice(0, 3)}:${offset.slice(3)}` : offset;
  const at = Date.parse(`${day}T${time}${colon}`);
  if (Number.isNaN(at)) return null;
  const whole = new Date(at).toISOString();
  // An offset around the first or last year gives a year of another length.
  if (!/^(?!0000)\d{4}-/.test(whole)) return null;
  return `${whole.slice(0, -5)}.${fraction.slice(0, MICRO_DIGITS).padEnd(MICRO_DIGITS, "0")}Z`;
}
