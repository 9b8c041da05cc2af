import { instantMs } from "../../service/instant.js";

/** How a customer continues: a secret, sealed wherever it is kept (docs/reference/service.md, "Onboarding result"). */
export interface Continuation {
  readonly token: string;
  readonly link: string;
  readonly expires_at: string;
}

export interface LinkOffer {
  /** From 1; part of its name. */
  readonly number: number;
  readonly expiresAt: number | null;
}

const MOST_CONTINUATIONS = 5;

/**
 * Decides what is done with the continuation of an answer. `next`: it is kept under the next number and delivered.
 * `last`: the last one was kept and not delivered, by this activity before it was repeated or by an earlier workflow,
 * and is delivered now. `none`: there is nothing new to deliver.
 *
 * @param delivered how many the customer's state knows as delivered
 * @param kept number of the last one that was kept; never reused, because it names the delivery
 */
export function decideOffer(
  offered: Continuation,
  { delivered, kept, last }: { delivered: number; kept: number; last: Continuation | undefined },
): "next" | "last" | "none" {
  const isDelivered = kept === delivered;
  if (last?.token === offered.token && !isDelivered) return "last";
  return kept >= MOST_CONTINUATIONS || (isDelivered && !isFresher(offered, last)) ? "none" : "next";
}

/** The service may give an older one again that is still valid. */
function isFresher(offered: Continuation, last: Continuation | undefined): boolean {
  if (last === undefined) return true;
  return offered.token !== last.token && !(instantMs(offered.expires_at) <= instantMs(last.expires_at));
}
