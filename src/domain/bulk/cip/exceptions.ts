import { isBlank } from "../../service/transaction-values.js";
import { type CipReportFacts, findingsOf, instantOf } from "./report.js";

/** 31 CFR 1020.220(a)(3)(i) (docs/use/exports.md, "Parts of the rule"). */
export type RulePart = "A" | "B" | "C" | "D";

/** The gravest first. */
export const EXCEPTION_KINDS = [
  "consider",
  "no_report",
  "missing",
  "approved_before_check",
  "check_older_than_a_year",
  "manual_approval",
] as const;
export type ExceptionKind = (typeof EXCEPTION_KINDS)[number];

/** What an examiner would ask about. */
export interface CipException {
  readonly kind: ExceptionKind;
  readonly part: RulePart | null;
  /** `watchlist.sanction` */
  readonly element: string;
  /** May quote the report. */
  readonly detail: string;
  /** Verification sources; null where the report names none. */
  readonly sources: readonly string[] | null;
}

/** No report of the service holds these. */
export const NOT_COVERED = {
  part: "B",
  element: "documents",
  detail:
    "not covered here: the service's report has no description of documents (type, number, place, dates). Keep it from where documents were seen.",
} as const;

interface Context {
  /** It means an automatic approval. */
  readonly approver: string;
  /** ISO instant of the report. */
  readonly madeAt: string;
}

/** A playbook approved the user, no reviewer. */
export function isAutomatic({ approved_by }: CipReportFacts, approver: string): boolean {
  return approved_by === approver;
}

/** The gravest first. */
export function exceptionsOf(report: CipReportFacts, context: Context): CipException[] {
  return [
    ...considers(report),
    ...missingIdentity(report),
    ...missingResults(report),
    ...missingResolution(report, context),
    ...wrongOrder(report),
    ...staleChecks(report, context.madeAt),
    ...manualApproval(report, context),
  ];
}

function considers(report: CipReportFacts): CipException[] {
  return findingsOf(report)
    .filter(({ verdict }) => verdict === "consider")
    .map(({ element, sources }) => ({ ...found("consider", "C", element, "consider"), sources }));
}

function found(kind: ExceptionKind, part: RulePart, element: string, detail: string): CipException {
  return { kind, part, element, detail, sources: null };
}

function missingIdentity({ checked_data: data }: CipReportFacts): CipException[] {
  const fields = ["customer_name", "date_of_birth", "address", "tax_id"] as const;
  return fields
    .filter((name) => isBlank(data[name] ?? ""))
    .map((name) => found("missing", "A", `checked_data.${name}`, "not given"));
}

function missingResults(report: CipReportFacts): CipException[] {
  const { check_initiated_at, approved_at } = report;
  const untold = Object.entries({ ...completionTimes(report), check_initiated_at, approved_at })
    .filter(([, text]) => instantOf(text) === null)
    .map(([element, text]) => {
      const detail = isBlank(text ?? "") ? "not given" : "not an instant with an offset from UTC";
      return found("missing", "C", element, detail);
    });
  const unsourced = findingsOf(report)
    .filter(({ sources }) => sources?.length === 0)
    .map(({ element }) => found("missing", "C", element, "no verification source is named"));
  return [...untold, ...unsourced];
}

function completionTimes({ check_completed_at, kyc_completed_at, watchlist }: CipReportFacts) {
  return {
    check_completed_at,
    kyc_completed_at,
    "watchlist.check_completed_at": watchlist.check_completed_at,
  };
}

function missingResolution(report: CipReportFacts, { approver }: Context): CipException[] {
  const considered = findingsOf(report).some(({ verdict }) => verdict === "consider");
  if (!considered || !isBlank(report.approved_reason ?? "")) return [];
  const how = isAutomatic(report, approver) ? "approved automatically" : "approved by a reviewer";
  const detail = `consider was found, ${how}, and no reason is given`;
  return [found("missing", "D", "approved_reason", detail)];
}

function wrongOrder(report: CipReportFacts): CipException[] {
  const approved = instantOf(report.approved_at);
  const completed = instantOf(report.kyc_completed_at);
  if (approved === null || completed === null || approved >= completed) return [];
  const detail = `approved at ${report.approved_at}, before the check was completed at ${report.kyc_completed_at}`;
  return [found("approved_before_check", "C", "approved_at", detail)];
}

function staleChecks(report: CipReportFacts, madeAt: string): CipException[] {
  const now = instantOf(madeAt);
  if (now === null) return [];
  const yearAgo = `${String(Number(now.slice(0, 4)) - 1).padStart(4, "0")}${now.slice(4)}`;
  return Object.entries(completionTimes(report)).flatMap(([element, text]) => {
    const at = instantOf(text);
    if (at === null || at >= yearAgo) return [];
    return [found("check_older_than_a_year", "C", element, `completed at ${text}`)];
  });
}

function manualApproval(report: CipReportFacts, { approver }: Context): CipException[] {
  if (isAutomatic(report, approver)) return [];
  const { approved_by, approved_reason } = report;
  const reason = isBlank(approved_reason ?? "") ? "no reason is given" : `reason: ${approved_reason}`;
  return [found("manual_approval", "D", "approved_by", `approved by ${approved_by}; ${reason}`)];
}
