import type { Finding, SeenRun } from "../../domain/seen-run.js";
import type { TableSpec } from "../../lake/delta/delta-schema.js";
import type { LakeQuery } from "../../lake/query/query.js";
import { rowsOf } from "../../lake/query/store-query.js";
import { linkSyncs } from "../../lake/tables/link-syncs.js";
import { runFailures, runs } from "../../lake/tables/runs.js";
import { endedRun, type RowFacts } from "./ended-runs.js";
import { findingsOf, quarantinedIn, type SlowLink, skippedIn, slowestLinks } from "./findings.js";
import { tablesOfKind } from "./kind-tables.js";

/** Everything that is known of a run, as `runs show --json` prints it. */
export interface ShownRun extends SeenRun, RowFacts {
  readonly duration_ms: number | null;
  /** Progress by the run's workflow; null where the run has ended or no worker answers. */
  readonly progress: unknown;
  readonly findings: readonly Finding[];
  /** The bank links that a sync took longest over. */
  readonly slowest: readonly SlowLink[];
}

export function shownTables(kind = ""): readonly TableSpec[] {
  return [runs, linkSyncs, runFailures, ...(tablesOfKind(kind)?.tables ?? [])];
}

/** Reads what is known of a run that has ended; undefined for any other. */
export async function shownRun(query: LakeQuery, id: string): Promise<ShownRun | undefined> {
  const ended = await endedRun(query, id);
  if (ended === undefined) return undefined;
  const { started_at, finished_at } = ended;
  const duration_ms = finished_at === null ? null : Date.parse(finished_at) - Date.parse(started_at);
  const findings = [
    ...(await findingsOf(query, ended)),
    ...(await skippedIn(query, ended)),
    ...quarantinedIn(ended),
  ];
  const counts = { ...ended.counts, ...(await ownCounts(query, ended)) };
  const slowest = await slowestLinks(query, id);
  return { ...ended, counts, duration_ms, progress: null, findings, slowest };
}

async function ownCounts(query: LakeQuery, { kind, run_id }: SeenRun): Promise<Record<string, number>> {
  const counted = tablesOfKind(kind)?.countedRows?.(run_id);
  if (counted === undefined) return {};
  const rows = await rowsOf<{ readonly name: string; readonly count: number }>(query, counted);
  return Object.fromEntries(rows.map(({ name, count }) => [name, count]));
}
