import { cancellationSignal } from "@temporalio/activity";
import type { CallOptions } from "../../api/http/call-options.js";
import { ApiError, isRefusal, type NotFoundError, RejectedError } from "../../api/http/errors.js";
import { readList } from "../../api/lists/read-list.js";
import {
  type createOnboarding,
  getOnboarding,
  listBusinessOnboardings,
  listUserOnboardings,
} from "../../api/operations/onboarding.js";
import type { ParamsOf } from "../../api/operations/operation.js";
import type { Onboarding, OnboardingItem, OnboardingResult } from "../../api/schemas/onboarding.js";
import { instantMs } from "../../domain/service/instant.js";
import { isDecision } from "../../domain/service/onboarding-status.js";
import { parsePlaybookKey } from "../../domain/service/playbook-key.js";
import type { SealedStore } from "../../lake/store/sealed-store.js";
import type { Dependencies } from "../dependencies.js";
import { LostAnswerError } from "../failure.js";
import type { CallIntent } from "./call-record.js";
import type { Finding, Resolution } from "./lost-call.js";

/** How long an onboarding is looked for in lists that may show it only once it has ended. */
const LOOKED_FOR_MS = 3_600_000;

/** Between two clocks, besides the difference that an answer's `Date` shows. */
const CLOCK_SLACK_MS = 2_000;

/** The result of a creation, or what a later read shows of it. */
export type StartedOnboarding = Pick<OnboardingResult, "id" | "status" | "output" | "error_message"> &
  Pick<Onboarding, "continue_onboarding"> & {
    /** `null` where it is unknown. */
    readonly requires_manual_review: boolean | null;
  };

type Creation = ParamsOf<typeof createOnboarding>;

interface CreationContext {
  readonly run?: string | undefined;
  /** Onboardings that this creation did not make, whatever their time says. */
  readonly others?: readonly string[];
}

/** By `external_id` the service returns the same onboarding again; by `fp_id` its lists are read. */
export function onboardingResolution(
  deps: Dependencies,
  params: Creation,
  context: CreationContext = {},
): Resolution<Creation, StartedOnboarding> {
  if (params.body.fp_id === undefined) return { rule: "again" };
  return { rule: "lookup", find: (lost) => findOnboarding(deps, params, lost, context) };
}

/**
 * The latest onboarding that a lost creation may have made. Without one, the creation is missing only if lists were seen to
 * show runs that have not ended.
 */
export async function findOnboarding(
  deps: Dependencies,
  params: Creation,
  lost: CallIntent,
  { run, others = [] }: CreationContext = {},
): Promise<Finding<Creation, StartedOnboarding>> {
  const options = { signal: cancellationSignal(), run };
  const key = parsePlaybookKey(params.body.key)?.playbook;
  const all = await onboardingsOf(deps, params.body.fp_id ?? "", options);
  const items = all.filter(
    ({ playbook_key: listed }) => (parsePlaybookKey(listed)?.playbook ?? listed) === key,
  );
  // The service's clock: as it was known then, else as the answer to the list has just shown it.
  const ahead = lost.clockAheadMs ?? deps.api.clockAheadMs ?? 0;
  const candidates = items
    .map((item) => ({ item, at: instantMs(item.timestamp) }))
    // A time that can't be read excludes nothing.
    .filter(({ item, at }) => !(at < lost.at + ahead - CLOCK_SLACK_MS) && !others.includes(item.id));
  if (candidates.some(({ at }) => Number.isNaN(at))) throw new LostAnswerError(lost.operation, lost.at);
  const [latest] = candidates.sort((a, b) => b.at - a.at);
  if (latest !== undefined) return { effect: await startedOnboarding(deps, latest.item, options) };
  if (await showRunning(deps, all)) return { missing: params };
  looks.delete(deps.sealed);
  return { unsureForMs: LOOKED_FOR_MS };
}

/** Noted once a list has shown an onboarding that had not ended. */
export const listsRunning = (sealed: SealedStore) =>
  sealed.kept<true>("_staging/onboarding-calls/lists-running");

/** Whether lists, this or an earlier one, show onboardings that have not ended. */
async function showRunning({ sealed }: Dependencies, items: readonly OnboardingItem[]): Promise<boolean> {
  const noted = listsRunning(sealed);
  if (!items.some(({ status }) => status === "pending" || status === "incomplete")) return noted.has();
  await noted.put(true);
  return true;
}

/** Of each worker, until a lost answer needs what they tell. */
const MOST_LOOKS = 3;
const looks = new WeakMap<SealedStore, number>();

/** Finds out whether lists show onboardings that have not ended, by one that has just begun. */
export async function observeLists(
  deps: Dependencies,
  fpId: string,
  begun: StartedOnboarding,
): Promise<void> {
  const { sealed, log } = deps;
  const looked = looks.get(sealed) ?? 0;
  if (isDecision(begun.status) || looked === MOST_LOOKS) return;
  const isNoted = await listsRunning(sealed).has();
  looks.set(sealed, isNoted ? MOST_LOOKS : looked + 1);
  if (isNoted) return;
  try {
    const items = await onboardingsOf(deps, fpId, { signal: cancellationSignal() });
    if ((await showRunning(deps, items)) || items.some(({ id }) => id === begun.id) || looked > 0) return;
    log.warn(
      "the service's lists lack an onboarding that has just begun: where an answer is lost, it is looked for for an hour. With external_id instead of fp_id it is sent again",
    );
  } catch (error) {
    // It costs no row that a list can't be read.
    if (!(error instanceof ApiError)) throw error;
  }
}

async function startedOnboarding(
  deps: Dependencies,
  { id, status }: OnboardingItem,
  options: CallOptions,
): Promise<StartedOnboarding> {
  const read = await deps.api.read(getOnboarding, { path: { id } }, options);
  const { output, error_message, requires_manual_review = null, continue_onboarding } = read;
  const facts = { output, error_message, requires_manual_review, continue_onboarding };
  return { id, ...facts, status: read.status ?? status };
}

/** The id may be a user's or a business's: the other's list is empty, not there, or refused. */
async function onboardingsOf(
  { api }: Dependencies,
  id: string,
  options: CallOptions,
): Promise<readonly OnboardingItem[]> {
  const ofUser = await itemsOf(readList(api, listUserOnboardings, { path: { fp_id: id } }, options));
  if (!(ofUser instanceof Error) && ofUser.length > 0) return ofUser;
  const ofBusiness = await itemsOf(readList(api, listBusinessOnboardings, { path: { fp_bid: id } }, options));
  if (!(ofBusiness instanceof Error)) return ofBusiness;
  if (!(ofUser instanceof Error)) return ofUser;
  for (const error of [ofUser, ofBusiness]) if (error instanceof RejectedError) throw error;
  return [];
}

/** The items of a list, or its refusal. */
async function itemsOf(
  list: AsyncIterable<OnboardingItem>,
): Promise<readonly OnboardingItem[] | RejectedError | NotFoundError> {
  const items: OnboardingItem[] = [];
  try {
    for await (const item of list) items.push(item);
    return items;
  } catch (error) {
    if (isRefusal(error)) return error;
    throw error;
  }
}
