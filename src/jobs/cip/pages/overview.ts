import { EXCEPTION_KINDS, type ExceptionKind, type RulePart } from "../../../domain/bulk/cip/exceptions.js";
import { instantOf } from "../../../domain/bulk/cip/instant.js";
import { CIP_ELEMENTS, type CipElement, findingsOf } from "../../../domain/bulk/cip/report.js";
import type { JudgedMember } from "../member-lines.js";

/** The elements whose verdict rests on named sources. */
export const SOURCED = ["date_of_birth", "matched_address", "tax_id"] as const;
type Sourced = (typeof SOURCED)[number];

/** The service documents sixteen; more are counted together. */
const MOST_SOURCES = 30;
export const OTHER_SOURCES = "other sources";

/** Numbers over all members; their size does not grow with the members. */
export class Overview {
  readonly verdicts = new Map<CipElement, { clear: number; consider: number }>(
    CIP_ELEMENTS.map((element) => [element, { clear: 0, consider: 0 }]),
  );
  readonly sources = new Map<string, Record<Sourced, number>>();
  /** By month, as `2026-01`; "" where the time of approval is not an instant. */
  readonly approvals = new Map<string, { automatic: number; manual: number }>();
  readonly approvedBy = { automatic: 0, manual: 0 };
  /** Exceptions by kind, and the members who have one. */
  readonly exceptions = new Map<ExceptionKind, { rows: number; members: number }>(
    EXCEPTION_KINDS.map((kind) => [kind, { rows: 0, members: 0 }]),
  );
  readonly missing: Record<RulePart, number> = { A: 0, B: 0, C: 0, D: 0 };
  /** Members with a `consider` anywhere. */
  considered = 0;
  /** Members under a legal hold. */
  onHold = 0;
  /** Members of whom the roster does not say whether they are. */
  holdUnknown = 0;
  /** Members who were asked for more than once. */
  askedAgain = 0;

  add({ member, exceptions, approval }: JudgedMember): void {
    if (member.asked > 1) this.askedAgain += 1;
    if (member.legalHold) this.onHold += 1;
    if (member.legalHold === null) this.holdUnknown += 1;
    for (const [kind, counts] of this.exceptions) {
      const rows = exceptions.filter((one) => one.kind === kind).length;
      counts.rows += rows;
      counts.members += rows > 0 ? 1 : 0;
    }
    for (const part of ["A", "C", "D"] as const) {
      if (exceptions.some((one) => one.kind === "missing" && one.part === part)) this.missing[part] += 1;
    }
    const { report } = member;
    if (report === null || approval === null) return;
    this.missing.B += 1;
    const findings = findingsOf(report);
    for (const { element, verdict } of findings) {
      const counts = this.verdicts.get(element);
      if (counts !== undefined) counts[verdict] += 1;
    }
    if (findings.some(({ verdict }) => verdict === "consider")) this.considered += 1;
    this.approvedBy[approval] += 1;
    const month = instantOf(report.approved_at)?.slice(0, 7) ?? "";
    const approvals = this.approvals.get(month) ?? { automatic: 0, manual: 0 };
    approvals[approval] += 1;
    this.approvals.set(month, approvals);
    for (const element of SOURCED) {
      const { sources = null } = findings.find((one) => one.element === element) ?? {};
      for (const source of new Set(sources ?? [])) this.#count(source, element);
    }
  }

  #count(source: string, element: Sourced): void {
    const known = this.sources.has(source) || this.sources.size < MOST_SOURCES;
    const name = known ? source : OTHER_SOURCES;
    const counts = this.sources.get(name) ?? { date_of_birth: 0, matched_address: 0, tax_id: 0 };
    counts[element] += 1;
    this.sources.set(name, counts);
  }
}
