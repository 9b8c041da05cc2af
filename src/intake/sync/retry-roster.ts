import { type Roster, rosterOf } from "./roster-file.js";

/** What failed in a sync. */
export interface FailedPart {
  /** Users whose links are all read again. */
  readonly users: readonly string[];
  readonly links: readonly { readonly fp_id: string; readonly link_id: string }[];
}

/** Makes the roster of what failed in a sync: whole users, and single links of others. */
export function retryRoster({ users, links }: FailedPart): Roster {
  const whole = new Set(users);
  const single = new Map<string, string[]>();
  for (const { fp_id, link_id } of links) {
    if (!whole.has(fp_id)) single.set(fp_id, [...(single.get(fp_id) ?? []), link_id]);
  }
  return rosterOf([
    ...[...whole].map((fp_id) => ({ fp_id })),
    ...[...single].map(([fp_id, ids]) => ({ fp_id, links: ids.sort() })),
  ]);
}
