import { type BrokenRule, brokenRules, type FailRules } from "../../domain/sync/fail-rules.js";
import type { LakeReader } from "../../lake/query/query-views.js";
import type { ObjectStore } from "../../lake/store/object-store.js";
import { openQuarantine } from "../../lake/sync/open-quarantine.js";
import { linksSkippedBy, staleLinks } from "../../lake/sync/unread-links.js";
import { withLakeReader } from "../lake/reader.js";

interface JudgedRun {
  readonly runId: string;
  /** Epoch milliseconds before which it had written nothing. */
  readonly startedAt: number;
  readonly users: ReadonlySet<string>;
  readonly only: readonly string[] | null;
}

export async function judgeRun(store: ObjectStore, rules: FailRules, run: JudgedRun): Promise<BrokenRule[]> {
  return withLakeReader(store, async (lake) => brokenRules(rules, await findingsOf(lake, rules, run)));
}

async function findingsOf(lake: LakeReader, { quarantine, skipped, staleMs }: FailRules, run: JudgedRun) {
  const open = quarantine ? await openQuarantine(lake) : { rows: 0, owners: [] };
  return {
    open: { rows: open.rows, owners: open.owners.map(({ owner }) => owner) },
    skipped: skipped ? await linksSkippedBy(lake, run) : [],
    stale: staleMs === null ? [] : await staleLinks(lake, { ...run, since: Date.now() - staleMs }),
  };
}

export function ruleInWords({ rule, count, owners, owners_total }: BrokenRule): string {
  const what = rule === "quarantine" ? "open row" : "link";
  const named = owners_total > owners.length ? [...owners, "…"] : owners;
  return `exit 1 by --fail-on ${rule}: ${count} ${what}${count === 1 ? "" : "s"} (${named.join(", ")})`;
}
