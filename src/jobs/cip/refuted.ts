import type { RefutedItem } from "../../domain/bulk/bulk-job.js";
import { anotherSubjectReason } from "../../domain/failures.js";
import { maskedId } from "../../domain/service/external-id.js";
import type { ClosedGroup } from "../job.js";
import type { MemberResult, RosterRow } from "./member.js";

/** With so many reports naming the very `fp_id`, all have to. */
const NEARLY_ALL = 0.75;

/**
 * Members whose report is about somebody else. The contract does not promise that a report's `user_id` is the `fp_id`,
 * so all reports decide together: of one `user_id` for several members all fail; where nearly all reports name the
 * `fp_id`, one that names another fails.
 */
export async function refutedMembers(
  groups: () => AsyncIterable<ClosedGroup<RosterRow, MemberResult>>,
): Promise<RefutedItem[]> {
  const reports: { group: number; item: number; fp_id: string; user_id: string }[] = [];
  const members = new Map<string, number>();
  for await (const { number: group, items } of groups()) {
    for (const { number: item, rows, result } of items) {
      const [one] = rows;
      if (one === undefined || result?.kind !== "exported") continue;
      const { user_id } = result.report;
      reports.push({ group, item, fp_id: one.row.fp_id, user_id });
      members.set(user_id, (members.get(user_id) ?? 0) + 1);
    }
  }
  const same = reports.filter(({ fp_id, user_id }) => user_id === fp_id).length;
  const areSame = same > 0 && same >= NEARLY_ALL * reports.length;
  return reports.flatMap(({ group, item, fp_id, user_id }) => {
    const sharing = members.get(user_id) ?? 0;
    if (sharing === 1 && (!areSame || user_id === fp_id)) return [];
    const asked = sharing > 1 ? `${sharing} members` : maskedId(fp_id);
    return [
      { group, item, reason: anotherSubjectReason({ field: "user_id", answered: maskedId(user_id), asked }) },
    ];
  });
}
