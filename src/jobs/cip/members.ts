import type { RefusedRequest } from "../../domain/refusals.js";
import type { ClosedGroup, EndedItem, InvalidRow } from "../job.js";
import type { CipMember, CipReport, CipSubject } from "./member.js";

/** A row of an export's roster. */
export interface RosterRow {
  readonly fp_id: string;
  readonly external_id?: string | undefined;
  readonly risk?: string | undefined;
  readonly account_closed_on?: string | undefined;
  readonly legal_hold?: boolean | undefined;
  /** Why the user is not asked for. */
  readonly excluded?: string | undefined;
}

/** What became of a user of the roster. */
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
      readonly refused?: RefusedRequest;
      readonly asked: number;
    }
  | { readonly kind: "excluded"; readonly reason: string };

export function excludedRow({ excluded }: RosterRow): MemberResult {
  return { kind: "excluded", reason: excluded ?? "" };
}

/** A user of the roster as the pack has it. */
export function memberOf(
  { rows, result, reason, asked }: EndedItem<RosterRow, MemberResult>,
  runId: string,
): CipMember {
  const row = rows[0]?.row ?? { fp_id: "" };
  const subject = subjectOf(row);
  const none = { ...subject, action: null, askedAt: null, report: null };
  if (result?.kind === "exported") {
    const { report, askedAt } = result;
    return { ...none, status: "exported", reason: null, asked: result.asked, askedAt, report };
  }
  if (result?.kind === "excluded") return { ...none, status: "excluded", reason: result.reason, asked: 0 };
  const why = result?.reason ?? reason ?? "interrupted";
  return {
    ...none,
    status: "failed",
    reason: why,
    action: actionOf(why, runId),
    asked: result?.asked ?? asked,
  };
}

/**
 * Every member of an export in the order of `fpId`; a wrong row that was let through is one that is excluded, under
 * its line.
 */
export async function* membersOf(
  groups: () => AsyncIterable<ClosedGroup<RosterRow, MemberResult>>,
  runId: string,
): AsyncGenerator<CipMember> {
  const wrong: CipMember[] = [];
  for await (const { invalid } of groups()) wrong.push(...invalid.map(invalidMember));
  wrong.sort((a, b) => (a.fpId < b.fpId ? -1 : 1));
  for await (const { items } of groups()) {
    for (const member of items.map((item) => memberOf(item, runId)).sort(byId)) {
      while (wrong[0] !== undefined && wrong[0].fpId < member.fpId) yield wrong.shift() as CipMember;
      yield member;
    }
  }
  yield* wrong;
}

function byId(a: CipMember, b: CipMember): number {
  return a.fpId < b.fpId ? -1 : 1;
}

function subjectOf({ fp_id, external_id, risk, account_closed_on, legal_hold }: RosterRow): CipSubject {
  return {
    fpId: fp_id,
    externalId: external_id ?? null,
    risk: risk ?? null,
    accountClosedOn: account_closed_on ?? null,
    legalHold: legal_hold ?? false,
  };
}

function invalidMember({ line, owner = "", problems }: InvalidRow): CipMember {
  const rules = problems.map(({ column, rule }) => (column === null ? rule : `column ${column} ${rule}`));
  return {
    ...subjectOf({ fp_id: `(line ${line}) ${owner}`.trimEnd() }),
    // What the row says cannot be relied on: neither that there is a hold nor that there is none.
    legalHold: null,
    status: "excluded",
    reason: `wrong row: ${rules.join("; ")}`,
    action: "fix the row and export it",
    asked: 0,
    askedAt: null,
    report: null,
  };
}

/** What helps against a reason. */
function actionOf(reason: string, runId: string): string {
  const retry = `nightledger runs retry ${runId}`;
  if (reason.startsWith("no_completed_onboarding")) return `complete the user's onboarding, then ${retry}`;
  if (reason.startsWith("not_found")) return "check the fp_id in the roster, and export it";
  return retry;
}
