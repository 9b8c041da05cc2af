import { hash } from "node:crypto";
import type { SealedStore } from "../store/sealed-store.js";

/** Notes, durably, whose row a business was made for from its first data alone: the service names it by its new id. */
export async function noteMadeBusiness(
  sealed: SealedStore,
  fpBid: string,
  identityHash: string,
): Promise<void> {
  await sealed.put(keyOf(fpBid), identityHash, { durable: true });
}

/** The hash of whom a row is about whose business has that id; undefined where no row made it. */
export function madeOf(sealed: SealedStore, fpBid: string): Promise<string | undefined> {
  return sealed.get<string>(keyOf(fpBid));
}

function keyOf(fpBid: string): string {
  return `_staging/onboarding-calls/made/${hash("sha256", fpBid).slice(0, 32)}`;
}
