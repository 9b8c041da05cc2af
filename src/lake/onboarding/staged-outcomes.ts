import type { Outcome, OutcomeName } from "../../domain/onboarding/outcome.js";
import type { SealedStore } from "../store/sealed-store.js";
import { batchPrefix } from "./frozen-batch.js";

/**
 * Keeps an outcome, sealed and durable, until `recordOutcomes` writes it into the tables; workflows know its name only.
 * The same name again replaces it.
 */
export async function putOutcome(sealed: SealedStore, batchId: string, outcome: Outcome): Promise<void> {
  await sealed.put(outcomeKey(batchId, outcome), outcome, { durable: true });
}

/** A kept outcome. @throws StagingLostError */
export async function getOutcome(sealed: SealedStore, batchId: string, name: OutcomeName): Promise<Outcome> {
  return sealed.require<Outcome>(outcomeKey(batchId, name));
}

export async function findOutcome(
  sealed: SealedStore,
  batchId: string,
  name: OutcomeName,
): Promise<Outcome | undefined> {
  return sealed.get<Outcome>(outcomeKey(batchId, name));
}

function outcomeKey(batchId: string, { line, attempt, version }: OutcomeName): string {
  return `${batchPrefix(batchId)}outcomes/${line}-${attempt}-${version}`;
}
