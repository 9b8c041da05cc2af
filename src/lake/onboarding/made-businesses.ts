import { hash } from "node:crypto";
import type { SealedStore } from "../store/sealed-store.js";

/**
 * Businesses that were made from their first data alone: their rows are known by that data, and what the service says
 * of them names them by the id that they got. A business keeps its id, so what is noted here stays true.
 */

/** Notes, durably, whose row a business was made for. */
export async function noteMadeBusiness(
  sealed: SealedStore,
  fpBid: string,
  identityHash: string,
): Promise<void> {
  await sealed.put(keyOf(fpBid), identityHash, { durable: true });
}

/** The customer's part of its workflow's id; undefined for whoever was not made from first data. */
export async function madeBusiness(sealed: SealedStore, fpId: string): Promise<string | undefined> {
  return sealed.get<string>(keyOf(fpId));
}

function keyOf(fpBid: string): string {
  return `_staging/onboarding-calls/made/${hash("sha256", fpBid).slice(0, 32)}`;
}
