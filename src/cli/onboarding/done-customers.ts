import type { LakePlace } from "../../domain/lake-address.js";
import { planRow } from "../../domain/onboarding/batch/row-plan.js";
import { isRight, type RightRow } from "../../domain/onboarding/customer.js";
import type { CustomersFile } from "../../intake/onboarding/customers-file.js";
import { lakeAt } from "../../lake/lake.js";
import { earlierOutcomes } from "../../lake/onboarding/earlier-outcomes.js";
import { inParts } from "../../lake/parts.js";
import { temporaryScratch } from "../../lake/sql/scratch.js";
import { openStore } from "../../lake/store/open-store.js";
import { onboardings } from "../../lake/tables/onboardings.js";

const GROUP = { count: 2_000, bytes: Number.POSITIVE_INFINITY };

/** Counts the valid rows that a batch of the file would not post, because a batch has. Only reads. */
export async function doneCustomers(
  place: LakePlace,
  { facts: { batchId }, freezable }: CustomersFile,
): Promise<number> {
  if (!(await openStore(place).folders("")).includes(onboardings.name)) return 0;
  const lake = lakeAt(place, { scratchDirectory: await temporaryScratch() });
  async function* right(): AsyncGenerator<RightRow> {
    for await (const { row } of freezable()) if (isRight(row)) yield row;
  }
  let done = 0;
  try {
    for await (const group of inParts(right(), GROUP, () => 0)) {
      const lines = { from: group[0]?.line ?? 0, to: group.at(-1)?.line ?? -1 };
      const keys = group.map(({ rowKey }) => rowKey);
      const { own, others } = await earlierOutcomes(lake, batchId, lines, keys);
      for (const { line, rowKey } of group) {
        const outcomes = { own: own.get(line), other: others.get(rowKey) };
        if (planRow(outcomes, { runId: null, retry: false, cancel: false }).kind !== "run") done += 1;
      }
    }
  } finally {
    await lake.close();
  }
  return done;
}
