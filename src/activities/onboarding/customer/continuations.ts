import type { OnboardingResult } from "../../../api/schemas/onboarding.js";
import {
  type CustomerState,
  needsCustomer,
  withoutLink,
} from "../../../domain/onboarding/customer/customer-state.js";
import type { CustomerRef, LinkOffer } from "../../../domain/onboarding/customer/customer-step.js";
import { batchPrefix } from "../../../lake/onboarding/frozen-batch.js";
import type { OnboardingDependencies } from "../dependencies.js";

/** How a customer goes on: a secret, sealed wherever it is kept (docs/reference/service.md, "Onboarding result"). */
export type Continuation = NonNullable<OnboardingResult["continue_onboarding"]>;

type Given = { readonly [name in "token" | "link" | "expires_at"]?: string | undefined };

/** Links that one row is given at most. */
const MOST_LINKS = 5;

/** Where a row's continuation of that number is kept, sealed. */
export function linkKey(
  { batchId, line, attempt }: Pick<CustomerRef, "batchId" | "line" | "attempt">,
  number: number,
): string {
  return `${batchPrefix(batchId)}continuations/${line}-${attempt}-${number}`;
}

/**
 * Keeps the continuation of an answer to be handed out, where it is another one than the last; a customer for
 * whom there is none, or nowhere to hand it out, is marked as in need of one. A number is never given to a second
 * link, also where a workflow before knew of more links than this one: the number names the delivery.
 */
export async function offerLink(
  deps: OnboardingDependencies,
  ref: CustomerRef,
  state: CustomerState,
  given: Given | null | undefined,
): Promise<{ state: CustomerState; link: LinkOffer | null }> {
  if (!needsCustomer(state)) return { state, link: null };
  const none = { state: state.links === 0 ? withoutLink(state) : state, link: null };
  const found = whole(given);
  if (found === undefined || !ref.sink) return none;
  const kept = await lastNumber(deps, ref, state.links);
  const last = kept === 0 ? undefined : await deps.sealed.get<Continuation>(linkKey(ref, kept));
  const handedOut = kept === state.links;
  // Kept by this activity before it was repeated, or handed out by a workflow before.
  if (last !== undefined && last.token === found.token && !handedOut) return offer(state, kept, last);
  if (kept >= MOST_LINKS || (handedOut && !isFresher(found, last))) return none;
  await deps.sealed.put(linkKey(ref, kept + 1), found, { durable: true });
  return offer(state, kept + 1, found);
}

/** Number of the last link that was kept for a row; at least those that its state knows. */
async function lastNumber(
  { sealed }: OnboardingDependencies,
  ref: CustomerRef,
  known: number,
): Promise<number> {
  let number = known;
  while ((await sealed.stat(linkKey(ref, number + 1))) !== undefined) number++;
  return number;
}

// Handed out, it is the state's last link: its number is their count then.
function offer(state: CustomerState, number: number, { expires_at }: Continuation) {
  const expiresAt = Date.parse(expires_at);
  return {
    state: { ...state, links: number - 1 },
    link: { number, expiresAt: Number.isNaN(expiresAt) ? null : expiresAt },
  };
}

function whole(given: Given | null | undefined): Continuation | undefined {
  const { token, link, expires_at } = given ?? {};
  if (token === undefined || link === undefined || expires_at === undefined) return undefined;
  return { token, link, expires_at };
}

// The service may give an older one again that is still good.
function isFresher(found: Continuation, last: Continuation | undefined): boolean {
  if (last === undefined) return true;
  return found.token !== last.token && !(Date.parse(found.expires_at) <= Date.parse(last.expires_at));
}
