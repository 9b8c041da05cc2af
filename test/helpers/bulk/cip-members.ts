import { cipReport } from "../../../sandbox/cip/cip-report.js";
import { cipReportSchema } from "../../../src/api/schemas/cip-report.js";
import type { CipMember, CipReport } from "../../../src/jobs/cip/member.js";

export const APPROVER = "compliance@bank.example";

const FIRST = ["Ada", "Grace", "José", "Zoë", "Łukasz", "Mei", "Olu", "Ivy"];
const LAST = ["Lovelace", "Hopper", "Müller", "O'Neil", "Żak", "Li", "Adeyemi", "Ng"];
const MADE_AT = "2026-11-20T08:00:00.000Z";

/** Tax id of a made-up member: nine digits that occur nowhere else. */
export const taxIdOf = (index: number) => `9${String(11_000_000 + index * 7).padStart(8, "0")}`;
/** Birth date of a made-up member. */
export const birthDateOf = (index: number) =>
  new Date(Date.UTC(1950 + (index % 50), index % 12, 1 + (index % 28))).toISOString().slice(0, 10);

/** Id of a made-up member, in the order of its index. */
export const fpIdOf = (index: number) => `fp_id_made_up_${String(index).padStart(6, "0")}`;

/** A report as the stand-in makes it, for the member of an index. */
export function madeUpReport(index: number, fields: Readonly<Record<string, unknown>> = {}): CipReport {
  const vault: Readonly<Record<string, string>> = {
    "id.first_name": FIRST[index % FIRST.length] ?? "",
    "id.last_name": LAST[(index * 3) % LAST.length] ?? "",
    "id.dob": birthDateOf(index),
    "id.ssn9": taxIdOf(index),
    "id.address_line1": `${index + 1} Elm Street`,
    "id.city": "Springfield",
    "id.state": "IL",
    "id.zip": "62704",
    "id.country": "US",
  };
  return cipReportSchema.parse(
    cipReport({
      fpId: fpIdOf(index),
      seed: "pack",
      now: MADE_AT,
      approvedBy: index % 9 === 4 ? "Rita Reviewer" : APPROVER,
      reviewed: index % 9 === 4,
      decidedAt: undefined,
      vault: (name) => vault[name],
      script: { fields: { ...fields } },
    }),
  );
}

/** A member with a report, but for every thirteenth that failed and every seventeenth that was excluded. */
export function madeUpMember(index: number): CipMember {
  const subject = {
    fpId: fpIdOf(index),
    externalId: index % 4 === 0 ? null : `customer-${index}`,
    risk: ["low", "medium", "high", null][index % 4] ?? null,
    accountClosedOn: index % 6 === 0 ? "2024-02-29" : null,
    legalHold: index % 23 === 5,
  };
  if (index % 13 === 7) {
    return {
      ...subject,
      status: "failed",
      reason: "rejected: the user has no completed onboarding",
      action: "complete the onboarding, then: runs retry",
      asked: 1,
      askedAt: null,
      report: null,
    };
  }
  if (index % 17 === 11) {
    return {
      ...subject,
      status: "excluded",
      reason: "excluded by the roster",
      action: null,
      asked: 0,
      askedAt: null,
      report: null,
    };
  }
  return {
    ...subject,
    status: "exported",
    reason: null,
    action: null,
    asked: index % 31 === 3 ? 2 : 1,
    askedAt: MADE_AT,
    report: madeUpReport(index),
  };
}

/** So many members, made again for every pass over them. */
export function madeUpMembers(
  count: number,
  changed: (member: CipMember, index: number) => CipMember | undefined = (member) => member,
): () => AsyncIterable<CipMember> {
  return async function* () {
    for (let index = 0; index < count; index += 1) {
      const member = changed(madeUpMember(index), index);
      if (member !== undefined) yield member;
    }
  };
}
