import { EXCEPTION_KINDS, type ExceptionKind, type RulePart } from "../../domain/bulk/cip/exceptions.js";
import { CIP_ELEMENTS, type CipElement, findingsOf } from "../../domain/bulk/cip/report.js";
import type { JudgedMember } from "./member-lines.js";

export class Overview {
  readonly verdicts = new Map<CipElement, { clear: number; consider: number }>(
    CIP_ELEMENTS.map((element) => [element, { clear: 0, consider: 0 }]),
  );
  readonly approvedBy = { automatic: 0, manual: 0 };
  /** Exceptions by kind, and members with one. */
  readonly exceptions = new Map<ExceptionKind, { rows: number; members: number }>(
    EXCEPTION_KINDS.map((kind) => [kind, { rows: 0, members: 0 }]),
  );
  /** Members with something missing. */
  readonly missing: Record<Exclude<RulePart, "B">, number> = { A: 0, C: 0, D: 0 };
  /** Members with a `consider` anywhere. */
  considered = 0;
  onHold = 0;
  /** The roster does not say. */
  holdUnknown = 0;
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
    this.approvedBy[approval] += 1;
    const findings = findingsOf(report);
    if (findings.some(({ verdict }) => verdict === "consider")) this.considered += 1;
    for (const { element, verdict } of findings) {
      const counts = this.verdicts.get(element);
      if (counts !== undefined) counts[verdict] += 1;
    }
  }
}
