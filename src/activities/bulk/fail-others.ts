import { aboutOthers } from "../../domain/bulk/about-others.js";
import { type BulkTotals, failuresOf, noBulkTotals, sumOfTotals } from "../../domain/bulk/bulk-totals.js";
import { anotherSubjectReason } from "../../domain/failures.js";
import { maskedId } from "../../domain/service/masked-id.js";
import type { StagedClose } from "../../lake/bulk/bulk-staging.js";
import { recordFailures } from "../run-failures.js";
import type { BulkDependencies, OpenRun } from "./dependencies.js";
import type { OpenGroup } from "./open-group.js";

interface OpenedGroup {
  readonly group: OpenGroup;
  readonly close: StagedClose;
}

/**
 * Fails the items of a run whose answers are about others, as all groups together show; of several attempts the first
 * decides. Returns what that changes in the totals, which count these items as done.
 */
export async function failOthers(
  deps: BulkDependencies,
  { job: { about }, staging }: OpenRun,
  runId: string,
  opened: () => AsyncIterable<OpenedGroup>,
): Promise<BulkTotals> {
  if (about === undefined) return noBulkTotals();
  if ((await staging.others.find()) === undefined) {
    const answers = [];
    for await (const { group, close } of opened()) {
      for await (const { number: item, rows, result } of group.ended(close)) {
        const named = result === null ? null : about(rows, result);
        if (named !== null) answers.push({ ...named, group: group.number, item });
      }
    }
    await staging.others.keep(
      aboutOthers(answers).map(({ group, item, field, ...ids }) => {
        const [answered, asked] = [maskedId(ids.answered), maskedId(ids.asked)];
        return { group, item, reason: anotherSubjectReason({ field, answered, asked }) };
      }),
    );
  }
  const others = await staging.others.require();
  const parts: BulkTotals[] = [];
  for await (const { group, close } of others.length === 0 ? [] : opened()) {
    const failed = new Set(others.filter((one) => one.group === group.number).map(({ item }) => item));
    const items = (await group.closedItems(close)).filter(({ number }) => failed.has(number));
    const ends = items.flatMap((item) => item.ends);
    const part = `g${group.number}/others`;
    await recordFailures(deps.lake, { runId, part }, failuresOf(ends, group.nameOf));
    const rows = { ...noBulkTotals().rows, done: -ends.length };
    parts.push({ ...noBulkTotals(), rows }, ...items.map(({ totals }) => totals));
  }
  return sumOfTotals(parts);
}
