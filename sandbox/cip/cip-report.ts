import { Random } from "../world/random.js";

/**
 * The 16 verification sources of a report: the service itself and 15 vendors, whose names the
 * document leaves out.
 */
const SOURCES = ["service", ...Array.from({ length: 15 }, (_, index) => `source_${index + 2}`)];

/** What a script says of a user's reports. */
export interface CipScript {
  /** Results that are `consider`; all others are `clear`. Default: by the seed. */
  consider?: readonly CipCheck[];
  /** Optional fields to leave out, such as `approved_reason`, `checked_data.tax_id`. */
  omit?: readonly string[];
  /** Fields that replace what is seeded, at the top level. */
  fields?: Readonly<Record<string, unknown>>;
}

export const CHECKS = ["date_of_birth", "matched_address", "tax_id"] as const;
export const WATCHLIST_CHECKS = [
  "adverse_media",
  "monitored_lists",
  "politically_exposed_person",
  "sanction",
] as const;
type CipCheck = (typeof CHECKS)[number] | (typeof WATCHLIST_CHECKS)[number];

/** What a report is about. */
interface CipSubject {
  readonly fpId: string;
  readonly seed: string;
  readonly now: string;
  readonly approvedBy: string;
  readonly reviewed: boolean;
  /** When the user's onboarding was decided; seeded where there was none. */
  readonly decidedAt: string | undefined;
  readonly vault: (identifier: string) => string | undefined;
  readonly script: CipScript;
}

/**
 * A user's CIP report (docs/reference/service.md, "CIP report"). The same for the same seed and user but for
 * `watchlist.check_completed_at`: each request makes a new report with a new screening.
 */
export function cipReport(subject: CipSubject): Record<string, unknown> {
  const { script, vault, fpId, now } = subject;
  const random = new Random(`${subject.seed}/cip/${fpId}`);
  const initiated = Date.UTC(2026, random.int(10), 1 + random.int(28), random.int(24), random.int(60));
  const at = (minutes: number) => new Date(initiated + minutes * 60_000).toISOString();
  const considered = script.consider ?? seededConsider(random);
  const result = (check: CipCheck) => (considered.includes(check) ? "consider" : "clear");
  const breakdown = () => SOURCES.filter(() => random.chance(0.3));
  const decided = subject.decidedAt ?? at(10);
  const report: Record<string, unknown> = {
    user_id: fpId,
    approved_at: decided,
    approved_by: subject.approvedBy,
    ...(subject.reviewed || random.chance(0.2) ? { approved_reason: "documents were seen" } : {}),
    ...(random.chance(0.9) ? { check_initiated_at: at(0) } : {}),
    ...(random.chance(0.9) ? { check_completed_at: at(4) } : {}),
    ...(random.chance(0.9) ? { kyc_completed_at: at(5) } : {}),
    ip_address: `192.0.2.${random.int(256)}`,
    result: considered.length > 0 ? "consider" : "clear",
    date_of_birth: result("date_of_birth"),
    date_of_birth_breakdown: breakdown(),
    matched_address: result("matched_address"),
    matched_addresses: breakdown(),
    tax_id: result("tax_id"),
    tax_id_breakdown: breakdown(),
    checked_data: checkedData(vault),
    self_reported: selfReported(random, vault),
    watchlist: watchlist(considered, result, now),
    ...script.fields,
  };
  for (const path of script.omit ?? []) remove(report, path.split("."));
  return report;
}

function seededConsider(random: Random): CipCheck[] {
  return [...CHECKS, ...WATCHLIST_CHECKS].filter(() => random.chance(0.03));
}

function checkedData(vault: CipSubject["vault"]): Record<string, unknown> {
  const joined = (...names: string[]) =>
    names
      .map((name) => vault(`id.${name}`))
      .filter(Boolean)
      .join(" ");
  const taxId = vault("id.ssn9") ?? vault("id.us_tax_id") ?? vault("id.itin");
  return {
    address: joined("address_line1", "address_line2", "city", "state", "zip", "country"),
    customer_name: joined("first_name", "middle_name", "last_name"),
    date_of_birth: vault("id.dob") ?? "",
    ...(taxId === undefined ? {} : { tax_id: taxId }),
  };
}

function selfReported(random: Random, vault: CipSubject["vault"]): Record<string, string> {
  const fields: Readonly<Record<string, string | undefined>> = {
    annual_income: vault("investor_profile.annual_income") ?? "le100k",
    citizenships: vault("id.citizenships") ?? "US",
    declarations: vault("investor_profile.declarations"),
    employment_status: vault("investor_profile.employment_status") ?? "employed",
    investment_objectives: vault("investor_profile.investment_goals") ?? "grow_wealth",
    is_employed_at_brokerage_firm: "no",
    net_worth: vault("investor_profile.net_worth") ?? "le250k",
    occupation: vault("investor_profile.occupation") ?? "Engineer",
    us_legal_status: vault("id.us_legal_status") ?? "citizen",
    visa_kind: vault("id.visa_kind"),
  };
  const kept = Object.entries(fields).filter(([, value]) => value !== undefined && !random.chance(0.1));
  return Object.fromEntries(kept) as Record<string, string>;
}

function watchlist(
  considered: readonly CipCheck[],
  result: (check: CipCheck) => string,
  now: string,
): Record<string, unknown> {
  const hits = WATCHLIST_CHECKS.filter((check) => considered.includes(check));
  const results = Object.fromEntries(WATCHLIST_CHECKS.map((check) => [check, result(check)]));
  return {
    ...results,
    result: hits.length > 0 ? "consider" : "clear",
    check_completed_at: now,
    // Their contents are not shown: one of each type that they may have.
    records: hits.flatMap((check, index) => [{ list: check, score: 80 + index }, `${check}-1`, index, true]),
  };
}

function remove(record: Record<string, unknown>, [name = "", ...rest]: readonly string[]): void {
  const inner = record[name];
  if (rest.length === 0) delete record[name];
  else if (typeof inner === "object" && inner !== null) remove(inner as Record<string, unknown>, rest);
}
