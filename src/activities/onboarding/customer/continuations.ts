import type { Onboarding } from "../../../api/schemas/onboarding.js";
import { type Continuation, decideOffer } from "../../../domain/onboarding/customer/continuation-offer.js";
import {
  type CustomerState,
  needsCustomer,
  withoutLink,
} from "../../../domain/onboarding/customer/customer-state.js";
import type { CustomerRef, LinkOffer } from "../../../domain/onboarding/customer/customer-step.js";
import { batchPrefix } from "../../../lake/onboarding/frozen-batch.js";
import type { OnboardingDependencies } from "../dependencies.js";

/** Says where a row's continuation with a number is kept, sealed. */
export function linkKey(
  { batchId, line, attempt }: Pick<CustomerRef, "batchId" | "line" | "attempt">,
  number: number,
): string {
  return `${batchPrefix(batchId)}continuations/${line}-${attempt}-${number}`;
}

/** Keeps a new continuation for its delivery; a customer without one, or without a sink, is marked as lacking it. */
export async function offerLink(
  { sealed }: OnboardingDependencies,
  ref: CustomerRef,
  state: CustomerState,
  given: Onboarding["continue_onboarding"],
): Promise<{ state: CustomerState; link: LinkOffer | null }> {
  if (!needsCustomer(state)) return { state, link: null };
  const { token, link, expires_at } = given ?? {};
  const isWhole = token !== undefined && link !== undefined && expires_at !== undefined;
  if (isWhole && ref.sink) {
    const found = { token, link, expires_at };
    let kept = state.links;
    while ((await sealed.stat(linkKey(ref, kept + 1))) !== undefined) kept++;
    const last = kept === 0 ? undefined : await sealed.get<Continuation>(linkKey(ref, kept));
    const decision = decideOffer(found, { delivered: state.links, kept, last });
    if (decision === "last" && last !== undefined) return offer(state, kept, last);
    if (decision === "next") {
      await sealed.put(linkKey(ref, kept + 1), found, { durable: true });
      return offer(state, kept + 1, found);
    }
  }
  return { state: state.links === 0 ? withoutLink(state) : state, link: null };
}

// Once it is delivered, the state counts it as the last one.
function offer(state: CustomerState, number: number, { expires_at }: Continuation) {
  const expiresAt = Date.parse(expires_at);
  const link = { number, expiresAt: Number.isNaN(expiresAt) ? null : expiresAt };
  return { state: { ...state, links: number - 1 }, link };
}
