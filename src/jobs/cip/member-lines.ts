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
  /** How its sensitive values are shown. */
  readonly mask: Mask;
}

/** Judges one member of an export. Nothing of it is kept: there may be more members than fit into memory. */
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

/** The name of a person; null where no report gives one. */
export function nameOf({ report }: CipMember, mask: Mask): string | null {
  const name = report?.checked_data.customer_name ?? "";
  return name.trim() === "" ? null : mask.text(name);
}

/** The header of `outcomes.csv`. */
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

/** The header of `population.csv`. */
export const POPULATION_HEAD = csvLine(["fp_id", "external_id", "risk", "account_closed_on", "legal_hold"]);

/** A member's line of `population.csv`. */
export function populationLine(subject: CipSubject): string {
  const { fpId, externalId, risk, accountClosedOn, legalHold } = subject;
  return csvLine([fpId, externalId, risk, accountClosedOn, legalHold]);
}

/**
 * The population as its pack will have it. Taken before the first call, it proves that nobody was added or left out.
 *
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
