import { listUserOnboardings } from "../api/operations/onboarding.js";
import { createCipReport } from "../api/operations/user.js";
import type { OnboardingItem } from "../api/schemas/onboarding.js";
import { isDecision } from "../domain/service/onboarding-status.js";
import { CIP_TABLES } from "../lake/tables/cip.js";
import { type MemberResult, memberOf, type RosterRow, rosterRow } from "./cip/member.js";
import { publishExport } from "./cip/publish-export.js";
import { cipRows } from "./cip/rows.js";
import { type BulkJob, type Caller, refusalOf } from "./job.js";

/** Exports the CIP report of each user of a roster, and publishes them as one pack (docs/use/exports.md). */
export const cipJob: BulkJob<RosterRow, MemberResult> = {
  kind: "cip",
  file: { name: "roster", option: "--roster" },
  row: rosterRow,
  unique: ({ fp_id }) => ({ column: "fp_id", value: fp_id }),
  order: (a, b) => (a.fp_id < b.fp_id ? -1 : 1),
  owner: ({ fp_id }) => fp_id,
  effect: false,
  groupRows: 500,
  plan: async (_, rows) => ({
    work: rows.filter(({ row }) => row.excluded === undefined).map((one) => [one]),
    ended: rows.flatMap((one) => {
      const reason = one.row.excluded;
      return reason === undefined ? [] : [{ rows: [one], result: { kind: "excluded", reason } }];
    }),
  }),
  async work(rows, caller) {
    const fp_id = rows[0]?.row.fp_id ?? "";
    const body = { default_approver: String(caller.options.approver) };
    try {
      const answer = await caller.once("report", createCipReport, { path: { fp_id }, body });
      const askedAt = new Date(answer.at).toISOString();
      return { kind: "exported", report: answer.body, asked: answer.asked, askedAt };
    } catch (error) {
      const { reason, refused } = refusalOf(error) ?? {};
      if (reason === undefined) throw error;
      const asked = (await caller.lost("report")) + 1;
      return { kind: "failed", reason: await reasonOf(caller, fp_id, reason), refused, asked };
    }
  },
  ends: (rows, result) =>
    rows.map(({ line }) => {
      if (result.kind === "exported") return { line, status: "done", reason: null };
      if (result.kind === "excluded") return { line, status: "skipped", reason: result.reason };
      return { line, status: "failed", reason: result.reason, refused: result.refused };
    }),
  tables: CIP_TABLES,
  rows: ({ runId, sealer }, item) => cipRows(memberOf(item, runId), runId, sealer),
  publish: publishExport,
};

/** Why the service made no report of a user. It does not say; the user's onboardings tell. */
async function reasonOf(caller: Caller, fp_id: string, refused: string): Promise<string> {
  try {
    for (let page = 1; ; ) {
      const params = { path: { fp_id }, ...(page > 1 && { query: { page } }) };
      const { body } = await caller.once(`onboardings-${page}`, listUserOnboardings, params);
      if ((body.data as readonly OnboardingItem[]).some((one) => isDecision(one.status))) return refused;
      const next: number = body.meta?.next_page ?? 0;
      if (next <= page) break;
      page = next;
    }
    return `no_completed_onboarding (${refused})`;
  } catch (error) {
    if (refusalOf(error) === undefined) throw error;
    return refused;
  }
}
