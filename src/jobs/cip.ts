import { listUserOnboardings } from "../api/operations/onboarding.js";
import { createCipReport } from "../api/operations/user.js";
import { isDecision } from "../domain/service/onboarding-status.js";
import { signingKey } from "../lake/bulk/pack/signature.js";
import { checkWritable } from "../lake/store/local/local-store-directories.js";
import { openStore } from "../lake/store/open-store.js";
import { CIP_TABLES } from "../lake/tables/cip.js";
import { checkPrevious, exportsIn } from "./cip/earlier-exports.js";
import { type MemberResult, memberOf, type RosterRow, rosterRow } from "./cip/member.js";
import { publishExport } from "./cip/publish-export.js";
import { cipRows } from "./cip/rows.js";
import { type BulkJob, type Caller, itemOf, refusalOf, rowPerUser } from "./job.js";
import { type CipOptions, cipKind } from "./kinds/cip.js";
import { readOnboardings } from "./onboarding-list.js";

/** Exports each user's CIP report and publishes them as one pack (docs/use/exports.md). */
export const cipJob: BulkJob<RosterRow, MemberResult, CipOptions> = {
  ...cipKind,
  ...rowPerUser,
  row: rosterRow,
  order: (a, b) => (a.fp_id < b.fp_id ? -1 : 1),
  groupRows: 500,
  plan: async (_, rows) => ({
    work: rows.filter(({ row }) => row.excluded === undefined).map(itemOf),
    ended: rows.flatMap((one) => {
      const reason = one.row.excluded;
      return reason === undefined ? [] : [{ rows: [one], result: { kind: "excluded", reason } }];
    }),
  }),
  async work(rows, caller) {
    const fp_id = rows[0]?.row.fp_id ?? "";
    const body = { default_approver: caller.options.approver };
    try {
      const answer = await caller.once("report", createCipReport, { path: { fp_id }, body });
      const askedAt = new Date(answer.at).toISOString();
      return { kind: "exported", report: answer.body, asked: answer.asked, askedAt };
    } catch (error) {
      const { reason, refused } = refusalOf(error) ?? {};
      if (reason === undefined || refused === undefined) throw error;
      const asked = (await caller.lost("report")) + 1;
      return { kind: "failed", reason: await reasonOf(caller, fp_id, reason), refused, asked };
    }
  },
  end(result) {
    if (result.kind === "exported") return undefined;
    if (result.kind === "excluded") return { status: "skipped", reason: result.reason };
    return { status: "failed", reason: result.reason, refused: result.refused };
  },
  advice: (reasons) =>
    reasons.every((reason) => reason === NO_REPORT || reason === NO_DECISION)
      ? "the service knows the users and answers 404 to each report: set the word that its path has to service.cip-segment in nightledger.yaml (docs/run/configuration.md#nightledgeryaml)"
      : undefined,
  tables: CIP_TABLES,
  rows: ({ runId, sealer }, item) => cipRows(memberOf(item, runId), runId, sealer),
  secret: "signKey",
  async read({ inputs: { sign_key: path } }, open) {
    if (typeof path !== "string") return undefined;
    const key = signingKey((await open("--sign-key", path)).toString("utf8"), path);
    // One form, so that the same key is the same secret.
    return key.export({ type: "pkcs8", format: "pem" }) as string;
  },
  async checkHere({ out, since }, lake) {
    if (out !== null) await checkWritable("--out", out);
    await checkPrevious(exportsIn(openStore(lake), out), since);
  },
  publish: publishExport,
};

/** The service knows the user and has no report. */
const NO_REPORT = "report_not_found";
const NO_DECISION = "no_completed_onboarding (not_found)";

/** The service does not say why it has no report; the user's onboardings do. */
async function reasonOf(caller: Caller<CipOptions>, fp_id: string, refused: string): Promise<string> {
  try {
    for await (const { status } of readOnboardings(caller, listUserOnboardings, { path: { fp_id } }))
      if (isDecision(status)) return refused === "not_found" ? NO_REPORT : refused;
    return `no_completed_onboarding (${refused})`;
  } catch (error) {
    if (refusalOf(error) === undefined) throw error;
    return refused;
  }
}
