import { cancellationSignal } from "@temporalio/activity";
import type { Onboarding } from "../../../api/schemas/onboarding.js";
import { type RetryPolicy, triesOf } from "../../../domain/backoff.js";
import { SECOND } from "../../../domain/duration.js";
import type { CustomerInput } from "../../../domain/onboarding/batch/batch-rows.js";
import {
  type Continuation,
  decideOffer,
  type LinkOffer,
} from "../../../domain/onboarding/customer/continuation-offer.js";
import {
  type CustomerState,
  needsCustomer,
  withoutLink,
} from "../../../domain/onboarding/customer/customer-state.js";
import { type OpenCustomer, ROW_RETRY } from "../../../domain/onboarding/customer/open-customer.js";
import { instantMs } from "../../../domain/service/instant.js";
import {
  appendContinuation,
  type Delivery,
  keptLinksFile,
} from "../../../lake/onboarding/continuation-file.js";
import { batchPrefix } from "../../../lake/onboarding/frozen-batch.js";
import type { SealedStore } from "../../../lake/store/sealed-store.js";
import type { OnboardingDependencies } from "../dependencies.js";

/** After so long, somebody has to send the link from the dashboard. */
const RETRY: RetryPolicy = { ...ROW_RETRY, until: 15 * SECOND };

/** Writes a continuation into the batch's file, at least once; false where it could not be written. */
export async function deliverLink(
  deps: OnboardingDependencies,
  one: OpenCustomer,
  link: LinkOffer,
): Promise<boolean> {
  const { input, tries } = one;
  const path = await keptLinksFile(deps.sealed, input.batchId).find();
  if (path === undefined) return false;
  const delivery = await deliveryOf(deps, one, link);
  try {
    await appendContinuation(path, delivery, deps.sealed.sealer);
    return true;
  } catch (error) {
    cancellationSignal().throwIfAborted();
    if (tries.times + 1 < triesOf(RETRY)) throw error;
    deps.log.warn({ line: input.line, err: error }, "could not deliver a link; send it from the dashboard");
    return false;
  }
}

async function deliveryOf(
  deps: OnboardingDependencies,
  { input, state }: OpenCustomer,
  link: LinkOffer,
): Promise<Delivery> {
  const { batchId, row, line, attempt } = input;
  const { customer } = await deps.batches.row(batchId, row);
  const continuation = await keptLink(deps.sealed, input, link.number).require();
  return {
    delivery_id: `${batchId}-${line}-${attempt}-${link.number}`,
    batch_id: batchId,
    line,
    fp_id: customer.fpId,
    external_id: customer.externalId,
    onboarding_id: state.onboardingId,
    link: continuation.link,
    token: continuation.token,
    expires_at: continuation.expires_at,
  };
}

/** A row's continuation of a number. */
export function keptLink(
  sealed: SealedStore,
  { batchId, line, attempt }: Pick<CustomerInput, "batchId" | "line" | "attempt">,
  number: number,
) {
  return sealed.kept<Continuation>(`${batchPrefix(batchId)}continuations/${line}-${attempt}-${number}`);
}

/** Keeps a new continuation for its delivery; a customer without one, or of a batch without a file, is marked as lacking it. */
export async function offerLink(
  { sealed }: OnboardingDependencies,
  ref: CustomerInput,
  state: CustomerState,
  given: Onboarding["continue_onboarding"],
): Promise<{ state: CustomerState; link: LinkOffer | null }> {
  if (!needsCustomer(state)) return { state, link: null };
  const { token, link, expires_at } = given ?? {};
  const isWhole = token !== undefined && link !== undefined && expires_at !== undefined;
  if (isWhole && (await keptLinksFile(sealed, ref.batchId).has())) {
    const found = { token, link, expires_at };
    let kept = state.links;
    while (await keptLink(sealed, ref, kept + 1).has()) kept++;
    const last = kept === 0 ? undefined : await keptLink(sealed, ref, kept).find();
    const decision = decideOffer(found, { delivered: state.links, kept, last });
    if (decision === "last" && last !== undefined) return offer(state, kept, last);
    if (decision === "next") {
      await keptLink(sealed, ref, kept + 1).put(found);
      return offer(state, kept + 1, found);
    }
  }
  return { state: state.links === 0 ? withoutLink(state) : state, link: null };
}

// Once it is delivered, the state counts it as the last one.
function offer(state: CustomerState, number: number, { expires_at }: Continuation) {
  const expiresAt = instantMs(expires_at);
  const link = { number, expiresAt: Number.isNaN(expiresAt) ? null : expiresAt };
  return { state: { ...state, links: number - 1 }, link };
}
