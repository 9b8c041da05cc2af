import { type FrozenRow, isRight } from "../../domain/onboarding/customer.js";
import { type LakeReader, readTables } from "../query/query-views.js";
import { sqlText } from "../sql/duckdb-sql.js";
import type { SealedStore } from "../store/sealed-store.js";
import { onboardings } from "../tables/onboardings.js";
import { takenOnboarding } from "./call-notes.js";
import { FrozenBatches } from "./frozen-batch.js";

export interface StagedCustomer {
  /** Batches whose file names the customer, and in which lines. */
  readonly batches: readonly { readonly batchId: string; readonly lines: ReadonlySet<number> }[];
  readonly onboardingIds: readonly string[];
}

/**
 * Finds a customer in the files of batches, as far as these are in the staging area: by `fp_id`, by what `onboardings` says
 * of a row, and by the external ids that it has for the customer.
 *
 * @throws InputError where a file was sealed with other keys
 */
export async function stagedCustomer(
  lake: LakeReader,
  sealed: SealedStore,
  fpId: string,
): Promise<StagedCustomer> {
  const known = await readTables(lake, [onboardings], (sql) =>
    sql.rows(
      `select distinct batch_id, line, external_id, onboarding_id from onboardings where fp_id = ${sqlText(fpId)}`,
    ),
  );
  const recorded = new Set(known.map(({ batch_id, line }) => `${batch_id} ${line}`));
  const externalIds = new Set(known.flatMap(({ external_id }) => external_id ?? []));
  const isOf = (batchId: string, row: FrozenRow) => {
    const named = isRight(row) ? row.customer : row.name;
    const isNamed = named.fpId === fpId || externalIds.has(named.externalId ?? "");
    return isNamed || recorded.has(`${batchId} ${row.line}`);
  };
  const files = new FrozenBatches(sealed);
  const batches: StagedCustomer["batches"][number][] = [];
  for (const batchId of await lake.store.folders("_staging/")) {
    if (!batchId.startsWith("onb_")) continue;
    const lines = new Set<number>();
    for await (const row of files.everyRow(batchId)) if (isOf(batchId, row)) lines.add(row.line);
    if (lines.size > 0) batches.push({ batchId, lines });
  }
  const onboardingIds = new Set(known.flatMap(({ onboarding_id }) => onboarding_id ?? []));
  return { batches, onboardingIds: [...onboardingIds].map(String) };
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
