import type { FrozenBulkRow } from "../../domain/bulk/frozen-row.js";
import type { EndedItem, PlannedItem } from "../../jobs/job.js";
import type { StagedClose } from "../../lake/bulk/bulk-staging.js";
import { requestsSent } from "../calls/call-record.js";
import { type BulkDependencies, type BulkGroup, stagingOf } from "./dependencies.js";
import { groupRows, itemsOf } from "./group-plan.js";

/** The items of a group that are worked on, as they were planned. */
export async function plannedItems(
  deps: BulkDependencies,
  group: BulkGroup,
  rows: readonly FrozenBulkRow[],
): Promise<PlannedItem<object>[]> {
  const { work } = await stagingOf(deps, group).requirePlan(group.group);
  return work.map(itemsOf(rows));
}

/** Every item of a group that has come to an end, and the group's rows. */
export async function endedItems(
  deps: BulkDependencies,
  group: BulkGroup,
  close: StagedClose,
): Promise<{ items: EndedItem<object, unknown>[]; rows: FrozenBulkRow[] }> {
  const staging = stagingOf(deps, group);
  const rows = await groupRows(deps, group);
  const planned = await plannedItems(deps, group, rows);
  const results = new Map<number, unknown>();
  for (const name of close.results) {
    for (const { item, result } of await staging.results(name)) results.set(item, result);
  }
  const failed = new Map(close.failed.map((one) => [one.item, one]));
  const items: EndedItem<object, unknown>[] = [];
  for (const [item, { rows: own }] of planned.entries()) {
    const { reason = null, refused } = failed.get(item) ?? {};
    const result = results.get(item) ?? null;
    const asked =
      result === null ? await requestsSent(deps.sealed, staging.itemPrefix(group.group, item)) : 0;
    // Nothing of an item that was never begun, or that a stopped run left before its first request, is written.
    if (result === null && reason === null && asked === 0) continue;
    if (result !== null) items.push({ rows: own, result, reason: null, asked });
    else items.push({ rows: own, result, reason: reason ?? "interrupted", refused, asked });
  }
  const { ended } = await staging.requirePlan(group.group);
  const itemOf = itemsOf(rows);
  for (const { lines, result } of ended) items.push({ ...itemOf(lines), result, reason: null, asked: 0 });
  return { items, rows };
}

/** The right rows of a closed group that no item has brought to an end: the run that closed it was stopped before. */
export function notBegun(
  items: readonly EndedItem<object, unknown>[],
  rows: readonly FrozenBulkRow[],
): FrozenBulkRow[] {
  const ended = new Set(items.flatMap((item) => item.rows.map(({ line }) => line)));
  return rows.filter(({ line, row }) => row !== null && !ended.has(line));
}
