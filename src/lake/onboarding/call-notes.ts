import { hash } from "node:crypto";
import type { SealedStore } from "../store/sealed-store.js";

const PREFIX = "_staging/onboarding-calls/";

export const callsPrefix = (rowKey: string) => `${PREFIX}${rowKey}/`;

const named = (text: string) => hash("sha256", text).slice(0, 32);

/** The row that an onboarding was posted for; it names its customer by one of the two ids. */
export interface OnboardingTaker {
  readonly playbookKey: string;
  readonly batchId: string;
  readonly rowKey: string;
  readonly fp_id?: string | undefined;
  readonly external_id?: string | undefined;
}

/** Which row owns an onboarding. */
export function takenOnboarding(sealed: SealedStore, id: string) {
  return sealed.kept<OnboardingTaker>(`${PREFIX}taken/${named(id)}`);
}

/**
 * Notes, durably, whose onboarding it is, before the row takes its answer. Of several customers the first has it.
 *
 * @returns the other customer, or the same one on another playbook, who has it already
 */
export async function takeOnboarding(
  sealed: SealedStore,
  id: string,
  taker: OnboardingTaker,
): Promise<OnboardingTaker | undefined> {
  const holder = await takenOnboarding(sealed, id).putIfAbsent(taker);
  return isSame(holder, taker) ? undefined : holder;
}

function isSame(one: OnboardingTaker, other: OnboardingTaker): boolean {
  if (one.playbookKey !== other.playbookKey) return false;
  if (one.batchId === other.batchId) return one.rowKey === other.rowKey;
  return [
    [one.fp_id, other.fp_id],
    [one.external_id, other.external_id],
  ].every(([own, its]) => own === undefined || its === undefined || own === its);
}

/** Whose business it is that was made from first data alone; the service names it by its new id. */
export function madeBusiness(sealed: SealedStore, fpBid: string) {
  return sealed.kept<string>(`${PREFIX}made/${named(fpBid)}`);
}
