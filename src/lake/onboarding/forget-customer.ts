import { type FrozenRow, isRight } from "../../domain/onboarding/customer.js";
import type { Person } from "../../domain/tables/person.js";
import type { ObjectStore } from "../store/object-store.js";
import type { SealedStore } from "../store/sealed-store.js";
import { takenOnboarding } from "./call-notes.js";
import { FrozenBatches } from "./frozen-batch.js";

export interface StagedCustomer {
  readonly batches: readonly { readonly batchId: string; readonly lines: ReadonlySet<number> }[];
  readonly onboardingIds: readonly string[];
}

/**
 * Finds a customer in the files of batches, as far as these are in the staging area.
 *
 * @throws InputError where a file was sealed with other keys
 */
export async function stagedCustomer(
  store: ObjectStore,
  sealed: SealedStore,
  { fpId, externalIds, lines: known }: Person,
): Promise<StagedCustomer> {
  const recorded = new Set(known.map(({ batch_id, line }) => `${batch_id} ${line}`));
  const isOf = (batchId: string, row: FrozenRow) => {
    const named = isRight(row) ? row.customer : row.name;
    const isNamed = named.fpId === fpId || externalIds.includes(named.externalId ?? "");
    return (isNamed && named.kind !== "business") || recorded.has(`${batchId} ${row.line}`);
  };
  const files = new FrozenBatches(sealed);
  const batches: StagedCustomer["batches"][number][] = [];
  for (const batchId of await store.folders("_staging/")) {
    if (!batchId.startsWith("onb_")) continue;
    const lines = new Set<number>();
    for await (const row of files.everyRow(batchId)) if (isOf(batchId, row)) lines.add(row.line);
    if (lines.size > 0) batches.push({ batchId, lines });
  }
  const onboardingIds = new Set(known.flatMap(({ onboarding_id }) => onboarding_id ?? []));
  return { batches, onboardingIds: [...onboardingIds] };
}

/** Takes a customer out of the staging area. None of these batches may run. Killed anywhere, it is called again. */
export async function eraseStaged(
  sealed: SealedStore,
  { batches, onboardingIds }: StagedCustomer,
): Promise<void> {
  const files = new FrozenBatches(sealed);
  for (const { batchId, lines } of batches) await files.forget(batchId, lines);
  for (const id of onboardingIds) await takenOnboarding(sealed, id).drop();
}
