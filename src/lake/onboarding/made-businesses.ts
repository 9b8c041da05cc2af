import { hash } from "node:crypto";
import { eventWorkflowIds } from "../../domain/onboarding/identity.js";
import type { SealedStore } from "../store/sealed-store.js";

/** Notes, durably, whose row a business was made for from its first data alone: the service names it by its new id. */
export async function noteMadeBusiness(
  sealed: SealedStore,
  fpBid: string,
  identityHash: string,
): Promise<void> {
  await sealed.put(keyOf(fpBid), identityHash, { durable: true });
}

/** Who a message is about; it may name the customer in two ways. */
interface NamedCustomer {
  readonly fpId: string | null;
  readonly externalId: string | null;
  readonly playbookKey: string | null;
}

/** Ids of the workflows that may wait for a message; none where it names no playbook. */
export async function waitingWorkflows(
  sealed: SealedStore,
  scope: string,
  { fpId, externalId, playbookKey }: NamedCustomer,
): Promise<string[]> {
  if (playbookKey === null) return [];
  const made = fpId === null ? undefined : await sealed.get<string>(keyOf(fpId));
  const subject = { fp_id: fpId, external_id: externalId, playbook_key: playbookKey };
  return eventWorkflowIds(sha256, scope, subject, made);
}

const sha256 = (text: string) => hash("sha256", text);

function keyOf(fpBid: string): string {
  return `_staging/onboarding-calls/made/${sha256(fpBid).slice(0, 32)}`;
}
