import { NotFoundError, SchemaError } from "../api/http/errors.js";
import { getBusinessInsights } from "../api/operations/business.js";
import { listBusinessOnboardings } from "../api/operations/onboarding.js";
import type { OnboardingItem } from "../api/schemas/onboarding.js";
import { pathId } from "../api/schemas/parameters.js";
import { uniqueIn } from "../domain/row-problem.js";
import { isDecision, isKnownStatus } from "../domain/service/onboarding-status.js";
import { KYB_TABLES } from "../lake/tables/kyb.js";
import { type BulkJob, type Caller, refusalOf } from "./job.js";
import { kybKind } from "./kinds/kyb.js";
import {
  type BusinessOnboarding,
  type BusinessResult,
  type BusinessRow,
  businessRow,
  kybRows,
} from "./kyb/rows.js";
import { readOnboardings } from "./onboarding-list.js";

/** Exports each business's insights after each onboarding (docs/use/exports.md). */
export const kybJob: BulkJob<BusinessRow, BusinessResult> = {
  ...kybKind,
  row: businessRow,
  unique: uniqueIn("fp_bid"),
  order: (a, b) => (a.fp_bid < b.fp_bid ? -1 : 1),
  owner: ({ fp_bid }) => fp_bid,
  groupRows: 500,
  async work(rows, caller) {
    const fp_bid = rows[0]?.row.fp_bid ?? "";
    const listed: OnboardingItem[] = [];
    for await (const one of readOnboardings(caller, listBusinessOnboardings, { path: { fp_bid } }))
      listed.push(withUsableId(one));
    const onboardings: BusinessOnboarding[] = [];
    const refusals: unknown[] = [];
    for (const [index, one] of listed.sort((a, b) => (a.id < b.id ? -1 : 1)).entries())
      onboardings.push(await insightsOf(caller, fp_bid, one, `insights-${index + 1}`, refusals));
    const [refusal] = refusals;
    if (refusal === undefined) return { onboardings };
    if (!onboardings.some(({ state }) => state === "found")) throw refusal;
    return { onboardings, failure: refusalOf(refusal) };
  },
  end({ onboardings, failure }) {
    if (failure !== undefined) return { status: "failed", ...failure };
    if (onboardings.some(({ state }) => state === "found")) return undefined;
    return { status: "skipped", reason: onboardings.length === 0 ? "no_onboarding" : "no_insights" };
  },
  skippedRows: (runId) => `select fp_bid as owner,
    case when bool_and(insights = 'no_onboarding') then 'no_onboarding' else 'no_insights' end as reason
    from business_insights where run_id = '${runId}' group by fp_bid having not bool_or(insights = 'found')`,
  tables: KYB_TABLES,
  rows({ runId, sealer }, { rows, result }) {
    const [first] = rows;
    return first && result ? kybRows(first.row, result.onboardings, runId, sealer) : {};
  },
};

/**
 * Insights after one onboarding; none are requested while it goes on. A refusal goes to `refusals`, so that it does not
 * hide the others.
 */
async function insightsOf(
  caller: Caller,
  fp_bid: string,
  onboarding: OnboardingItem,
  call: string,
  refusals: unknown[],
): Promise<BusinessOnboarding> {
  const { id: onboarding_id, status } = onboarding;
  const none = { onboarding, insights: null, askedAt: null };
  if (isKnownStatus(status) && !isDecision(status)) return { ...none, state: "not_ended" };
  try {
    const path = { fp_bid, onboarding_id };
    const { body, at } = await caller.once(call, getBusinessInsights, { path });
    return { onboarding, state: "found", insights: body, askedAt: new Date(at).toISOString() };
  } catch (error) {
    if (error instanceof NotFoundError) return { ...none, state: "none" };
    if (refusalOf(error)?.refused === undefined) throw error;
    refusals.push(error);
    return { ...none, state: "refused" };
  }
}

/** Fails a business whose onboarding's id can't be part of an address. */
function withUsableId(onboarding: OnboardingItem): OnboardingItem {
  if (pathId.safeParse(onboarding.id).success) return onboarding;
  const facts = { operation: listBusinessOnboardings.name, sent: true };
  throw new SchemaError(facts, "data.id", "expected an id without slashes");
}
