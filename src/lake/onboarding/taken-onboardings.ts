import { hash } from "node:crypto";
import type { SealedStore } from "../store/sealed-store.js";

/** The row that an onboarding was posted for; it names its customer by one of the two ids. */
export interface OnboardingTaker {
  readonly playbookKey: string;
  readonly batchId: string;
  readonly rowKey: string;
  readonly fp_id?: string | undefined;
  readonly external_id?: string | undefined;
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
  const key = `_staging/onboarding-calls/taken/${hash("sha256", id).slice(0, 32)}`;
  if (await sealed.putIfAbsent(key, taker)) return undefined;
  const holder = await sealed.require<OnboardingTaker>(key);
  return isSame(holder, taker) ? undefined : holder;
}

/** Whether two rows may be about the same customer; one batch has each customer once. */
function isSame(one: OnboardingTaker, other: OnboardingTaker): boolean {
  if (one.playbookKey !== other.playbookKey) return false;
  if (one.batchId === other.batchId) return one.rowKey === other.rowKey;
  return [
    [one.fp_id, other.fp_id],
    [one.external_id, other.external_id],
  ].every(([own, its]) => own === undefined || its === undefined || own === its);
}
