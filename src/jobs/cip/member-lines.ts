import { createHash } from "node:crypto";
import { type CipException, exceptionsOf, isAutomatic } from "../../domain/bulk/cip/exceptions.js";
import { type Mask, maskOf, UNMASKED } from "../../domain/bulk/cip/masking.js";
import { type PurgeDays, purgeDays } from "../../domain/bulk/cip/retention.js";
import { csvLine } from "../../lake/csv-line.js";
import type { PackFacts } from "./facts.js";
import type { CipMember, CipSubject } from "./member.js";

export interface JudgedMember {
  readonly member: CipMember;
  readonly exceptions: readonly CipException[];
  readonly approval: "automatic" | "manual" | null;
  readonly purge: PurgeDays;
  readonly mask: Mask;
}

/** Judges one member; all members may not fit into memory. */
export function judged(
  member: CipMember,
  { approver, finished_at, unmasked, retention }: PackFacts,
): JudgedMember {
  const { report, status, reason, askedAt, accountClosedOn, legalHold } = member;
  if (report === null) {
    const detail = reason ?? "no reason was recorded";
    const none = { kind: "no_report", part: null, element: "report", detail, sources: null } as const;
    const purge = purgeDays({ accountClosedOn, legalHold, madeAt: null }, retention);
    return { member, exceptions: status === "failed" ? [none] : [], approval: null, purge, mask: UNMASKED };
  }
  const madeAt = askedAt ?? finished_at;
  return {
    member,
    exceptions: exceptionsOf(report, { approver, madeAt }),
    approval: isAutomatic(report, approver) ? "automatic" : "manual",
    purge: purgeDays({ accountClosedOn, legalHold, madeAt }, retention),
    mask: unmasked ? UNMASKED : maskOf(report),
  };
}

/** Null where no report gives one. */
export function nameOf({ report }: CipMember, mask: Mask): string | null {
  const name = report?.checked_data.customer_name ?? "";
  return name.trim() === "" ? null : mask.text(name);
}

export const OUTCOMES_HEAD = csvLine([
  ...["fp_id", "external_id", "status", "reason", "action", "asked", "asked_at"],
  ...["result", "approval", "approved_by", "exceptions"],
  ...["identity_purge_from", "records_purge_from", "retention_note"],
]);

export function outcomeLine({ member, exceptions, approval, purge, mask }: JudgedMember): string {
  const { fpId, externalId, status, reason, action, asked, askedAt, report } = member;
  return csvLine([
    ...[fpId, externalId, status, reason, action, asked, askedAt],
    ...[report?.result ?? null, approval, report && mask.text(report.approved_by), exceptions.length],
    ...[purge.identity, purge.records, purge.note],
  ]);
}

export const POPULATION_HEAD = csvLine(["fp_id", "external_id", "risk", "account_closed_on", "legal_hold"]);

export function populationLine(subject: CipSubject): string {
  const { fpId, externalId, risk, accountClosedOn, legalHold } = subject;
  return csvLine([fpId, externalId, risk, accountClosedOn, legalHold]);
}

/**
 * Rows and hash of the population before the first call, which prove that nobody was added or left out.
 * @param subjects in the order of `fpId`
 */
export async function populationOf(
  subjects: AsyncIterable<CipSubject> | Iterable<CipSubject>,
): Promise<{ rows: number; sha256: string }> {
  const hash = createHash("sha256").update(POPULATION_HEAD);
  let rows = 0;
  for await (const subject of subjects) {
    hash.update(populationLine(subject));
    rows += 1;
  }
  return { rows, sha256: hash.digest("hex") };
}
