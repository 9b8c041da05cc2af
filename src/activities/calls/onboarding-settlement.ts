import { cancellationSignal } from "@temporalio/activity";
import { NotFoundError } from "../../api/http/errors.js";
import { readList } from "../../api/lists/read-list.js";
import { getOnboarding } from "../../api/operations/onboarding.js";
import type { createOnboarding } from "../../api/operations/onboarding-creation.js";
import { listBusinessOnboardings, listUserOnboardings } from "../../api/operations/onboarding-lists.js";
import type { ParamsOf } from "../../api/operations/operation.js";
import type { OnboardingItem, OnboardingResult } from "../../api/schemas/onboarding.js";
import { parsePlaybookKey } from "../../domain/service/playbook-key.js";
import type { Dependencies } from "../dependencies.js";
import { LostAnswerError } from "../lost-answer-error.js";
import type { Finding, LostCall, Settlement } from "./settlement.js";

/** What two clocks may differ by, besides the difference that an answer's date showed, to the second. */
const CLOCK_SLACK_MS = 2_000;

/** The result of a creation; of one that was found after its answer was lost, what reading it tells. */
export type StartedOnboarding = Pick<
  OnboardingResult,
  "id" | "status" | "output" | "error_message" | "continue_onboarding"
> & {
  /** `null`: not told. */
  readonly requires_manual_review: boolean | null;
};

type Creation = ParamsOf<typeof createOnboarding>;

/** What is known before an onboarding is created. */
interface OnboardingSurroundings {
  readonly run?: string;
  /** Onboardings of the same user or business that are others than this one, whatever their time says. */
  readonly known?: readonly string[];
}

/**
 * How the lost answer of a creation is settled: with `external_id` the service itself gives the same onboarding
 * again; with `fp_id` its lists are read.
 */
export function onboardingSettlement(
  deps: Dependencies,
  params: Creation,
  surroundings: OnboardingSurroundings = {},
): Settlement<Creation, StartedOnboarding> {
  const { fp_id } = params.body;
  if (fp_id === undefined) return { rule: "again" };
  return { rule: "lookup", find: (lost) => findOnboarding(deps, params, fp_id, lost, surroundings) };
}

async function findOnboarding(
  deps: Dependencies,
  params: Creation,
  fpId: string,
  lost: LostCall,
  { run, known = [] }: OnboardingSurroundings,
): Promise<Finding<Creation, StartedOnboarding>> {
  const options = { signal: cancellationSignal(), run };
  const playbook = parsePlaybookKey(params.body.key)?.playbook;
  const items = await onboardingsOf(deps, fpId, options);
  const candidates = items.filter(({ id, playbook_key }) => playbook_key === playbook && !known.includes(id));
  // By the service's clock: as it was known then, else as the answer to the list has just shown it.
  const since = lost.sentAt + (lost.clockAheadMs ?? deps.api.clockAheadMs ?? 0) - CLOCK_SLACK_MS;
  const timed = candidates.map((item) => ({ item, at: Date.parse(item.timestamp) }));
  if (timed.some(({ at }) => Number.isNaN(at))) throw new LostAnswerError(lost.operation, lost.sentAt);
  const [made] = timed.filter(({ at }) => at >= since).sort((a, b) => b.at - a.at);
  if (made === undefined) return { missing: params };
  const { id, status } = made.item;
  const read = await deps.api.read(getOnboarding, { path: { id } }, options);
  const { output, error_message, requires_manual_review, continue_onboarding: open } = read;
  const whole = open?.token !== undefined && open.link !== undefined && open.expires_at !== undefined;
  return {
    found: {
      id,
      output,
      error_message,
      status: read.status ?? status,
      requires_manual_review: requires_manual_review ?? null,
      ...(whole && { continue_onboarding: open as NonNullable<StartedOnboarding["continue_onboarding"]> }),
    },
  };
}

// The document gives one field for users and businesses, so the id may be of either.
async function onboardingsOf(
  deps: Dependencies,
  id: string,
  options: { readonly signal: AbortSignal; readonly run: string | undefined },
): Promise<OnboardingItem[]> {
  const { api } = deps;
  const ofUser = readList<typeof listUserOnboardings, OnboardingItem>(
    api,
    listUserOnboardings,
    { path: { fp_id: id } },
    options,
  );
  const ofBusiness = readList<typeof listBusinessOnboardings, OnboardingItem>(
    api,
    listBusinessOnboardings,
    { path: { fp_bid: id } },
    options,
  );
  return (await all(ofUser)) ?? (await all(ofBusiness)) ?? [];
}

async function all<Item>(list: AsyncIterable<Item>): Promise<Item[] | undefined> {
  const items: Item[] = [];
  try {
    for await (const item of list) items.push(item);
    return items;
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}
