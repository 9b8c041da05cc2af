import { type CipException, exceptionsOf, isAutomatic } from "../../domain/bulk/cip/exceptions.js";
import { type Mask, maskOf, UNMASKED } from "../../domain/bulk/cip/masking.js";
import { type PurgeDays, purgeDays } from "../../domain/bulk/cip/retention.js";
import { csvLine } from "../../lake/csv-line.js";
import type { PackFacts } from "./facts.js";
import type { CipMember } from "./member.js";

/** A member with what the rules make of it. */
export interface JudgedMember {
  readonly member: CipMember;
  readonly exceptions: readonly CipException[];
  readonly approval: "automatic" | "manual" | null;
  readonly purge: PurgeDays;
  /** How its sensitive values are shown. */
  readonly mask: Mask;
}

/** Judges one member of an export. Nothing of it is kept: there may be more of them than fit into memory. */
export function judged(member: CipMember, facts: PackFacts): JudgedMember {
  const { report, status, reason, askedAt, accountClosedOn, legalHold } = member;
  const { approver, finished_at, unmasked } = facts;
  const madeAt = report === null ? null : (askedAt ?? finished_at);
  const purge = purgeDays({ accountClosedOn, legalHold, madeAt });
  if (report === null || madeAt === null) {
    const without: CipException = {
      kind: "no_report",
      part: null,
      element: "report",
      detail: reason ?? "no reason was recorded",
      sources: null,
    };
    return {
      member,
      exceptions: status === "failed" ? [without] : [],
      approval: null,
      purge,
      mask: UNMASKED,
    };
  }
  return {
    member,
    exceptions: exceptionsOf(report, { approver, madeAt }),
    approval: isAutomatic(report, approver) ? "automatic" : "manual",
    purge,
    mask: unmasked ? UNMASKED : maskOf(report),
  };
}

/** The line of names of `outcomes.csv`. */
export const OUTCOMES_HEAD = csvLine([
  ...["fp_id", "external_id", "status", "reason", "action", "asked", "asked_at"],
  ...["result", "approval", "approved_by", "exceptions"],
  ...["identity_purge_from", "records_purge_from", "retention_note"],
]);

/** A member's line of `outcomes.csv`. */
export function outcomeLine({ member, exceptions, approval, purge, mask }: JudgedMember): string {
  const { fpId, externalId, status, reason, action, asked, askedAt, report } = member;
  return csvLine([
    ...[fpId, externalId, status, reason, action, asked, askedAt],
    ...[report?.result ?? null, approval, report && mask.text(report.approved_by), exceptions.length],
    ...[purge.identity, purge.records, purge.note],
  ]);
}
