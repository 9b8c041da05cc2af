import type { Dependencies } from "../../dependencies.js";
import { type GroupPlan, type GroupRef, plannedLink } from "../group-plan.js";

interface AdmitLinksInput extends GroupRef {
  /** Indexes in the plan. */
  readonly links: readonly number[];
}

/** What the course of a link depends on, without naming it. */
export interface AdmittedLink {
  readonly link: number;
  readonly cursor: string | null;
  readonly known: boolean;
}

export interface AdmitLinksResult {
  readonly open: readonly AdmittedLink[];
  /** Links that are not read, and why. */
  readonly skipped: readonly { readonly link: number; readonly reason: string }[];
}

/** Takes the next links of a plan, so that a workflow holds a few hundred of them at a time. */
export async function admitLinks(deps: Dependencies, input: AdmitLinksInput): Promise<AdmitLinksResult> {
  const plan = await deps.lake.staging.document<GroupPlan>(input.runId, input.plan);
  const open: AdmittedLink[] = [];
  const skipped: { link: number; reason: string }[] = [];
  for (const link of input.links) {
    const { obstacle, base } = plannedLink(plan, link);
    if (obstacle === null) open.push({ link, cursor: base?.cursor ?? null, known: base !== null });
    else skipped.push({ link, reason: obstacle });
  }
  return { open, skipped };
}
