import type { z } from "zod";
import { day, ownIdText, userRow, yesOrNo } from "../../api/file-fields.js";
import type { cipReportSchema } from "../../api/schemas/cip-report.js";
import type { FrozenBulkRow, RefutedItem } from "../../domain/bulk/bulk-job.js";
import { ANOTHER_SUBJECT } from "../../domain/failures.js";
import type { RefusedRequest } from "../../domain/refusals.js";
import type { ClosedGroup, EndedItem } from "../job.js";

/** Its texts are the service's. */
export type CipReport = z.output<typeof cipReportSchema>;

/** What the roster says of a user, frozen before the first call. */
export interface CipSubject {
  readonly fpId: string;
  readonly externalId: string | null;
  /** The institution's rating, such as `high`. */
  readonly risk: string | null;
  /** ISO day; null while the account is open. */
  readonly accountClosedOn: string | null;
  /** Null for an invalid row. */
  readonly legalHold: boolean | null;
}

/** A user of an export, and the outcome. */
export interface CipMember extends CipSubject {
  readonly status: "exported" | "failed" | "excluded";
  /** Why there is no report. */
  readonly reason: string | null;
  readonly action: string | null;
  /** Requests. */
  readonly asked: number;
  /** ISO instant of the answer. */
  readonly askedAt: string | null;
  /** Null unless exported. */
  readonly report: CipReport | null;
}

export const rosterRow = userRow.extend({
  risk: ownIdText.optional(),
  account_closed_on: day.optional(),
  legal_hold: yesOrNo.optional(),
  /** Why no request is made. */
  excluded: ownIdText
    .refine((why) => why !== "", {
      error: "is blank: say why, or leave it out",
      params: { code: "blank" },
    })
    .optional(),
});

export type RosterRow = z.output<typeof rosterRow>;

export type MemberResult =
  | {
      readonly kind: "exported";
      readonly report: CipReport;
      readonly asked: number;
      readonly askedAt: string;
    }
  | {
      readonly kind: "failed";
      readonly reason: string;
      readonly refused?: RefusedRequest | undefined;
      readonly asked: number;
    }
  | { readonly kind: "excluded"; readonly reason: string };

export function memberOf(
  { rows, result, reason, asked }: EndedItem<RosterRow, MemberResult>,
  runId: string,
): CipMember {
  const member = unasked(rows[0]?.row ?? { fp_id: "" });
  if (result?.kind === "exported") {
    const { report, askedAt } = result;
    return { ...member, status: "exported", asked: result.asked, askedAt, report };
  }
  if (result?.kind === "excluded") return { ...member, reason: result.reason };
  const why = result?.reason ?? reason ?? "interrupted";
  const action = actionOf(why, runId);
  return { ...member, status: "failed", reason: why, action, asked: result?.asked ?? asked };
}

/**
 * Every member by `fpId`; an invalid row that was let through is excluded, under its line.
 * @param refuted those whose report is about somebody else
 * @param held users under a legal hold of the lake
 */
export async function* membersOf(
  groups: () => AsyncIterable<ClosedGroup<RosterRow, MemberResult>>,
  runId: string,
  { refuted, held }: { readonly refuted: readonly RefutedItem[]; readonly held: ReadonlySet<string> },
): AsyncGenerator<CipMember> {
  const invalid: CipMember[] = [];
  for await (const group of groups()) invalid.push(...group.invalid.map(invalidMember));
  invalid.sort(byId);
  for await (const { number: group, items } of groups()) {
    const reasons = new Map(
      refuted.filter((one) => one.group === group).map((one) => [one.item, one.reason]),
    );
    const judged = items.map((item) => {
      const reason = reasons.get(item.number);
      if (reason === undefined || item.result?.kind !== "exported") return item;
      return { ...item, result: { kind: "failed", reason, asked: item.result.asked } as const };
    });
    for (const member of judged.map((item) => memberOf(item, runId)).sort(byId)) {
      while (invalid[0] !== undefined && invalid[0].fpId < member.fpId) yield invalid.shift() as CipMember;
      yield held.has(member.fpId) ? { ...member, legalHold: true } : member;
    }
  }
  yield* invalid;
}

function byId(a: CipMember, b: CipMember): number {
  return a.fpId < b.fpId ? -1 : 1;
}

function unasked({ fp_id, external_id, risk, account_closed_on, legal_hold }: RosterRow): CipMember {
  return {
    fpId: fp_id,
    externalId: external_id ?? null,
    risk: risk ?? null,
    accountClosedOn: account_closed_on ?? null,
    legalHold: legal_hold ?? false,
    status: "excluded",
    reason: null,
    action: null,
    asked: 0,
    askedAt: null,
    report: null,
  };
}

function invalidMember({ line, owner = "", problems }: FrozenBulkRow): CipMember {
  const rules = problems.map(({ column, rule }) => (column === null ? rule : `column ${column} ${rule}`));
  return {
    ...unasked({ fp_id: `(line ${line}) ${owner}`.trimEnd() }),
    // An invalid row proves nothing.
    legalHold: null,
    reason: `wrong row: ${rules.join("; ")}`,
    action: "fix the row and export it",
  };
}

function actionOf(reason: string, runId: string): string {
  const retry = `nightledger runs retry ${runId}`;
  if (reason.startsWith("no_completed_onboarding")) return `complete the user's onboarding, then ${retry}`;
  if (reason.startsWith("not_found")) return "check the fp_id in the roster, and export it";
  if (reason.startsWith(ANOTHER_SUBJECT)) return `find out what mixes up answers, then ${retry}`;
  return retry;
}
