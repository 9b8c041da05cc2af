import { localFiles } from "../../delta/data-files.js";
import type { AddFile } from "../../delta/delta-actions.js";
import { commitsBack } from "../../delta/delta-log.js";
import type { DeltaLocation } from "../../delta/delta-path.js";
import type { TableSpec } from "../../delta/delta-schema.js";
import type { Snapshot } from "../../delta/delta-snapshot.js";
import { type FileFacts, factsOf, holdsLinks } from "../../delta/delta-stats.js";
import type { LakeReader } from "../../query/query-views.js";
import { parquetRows } from "../../sql/duckdb-files.js";
import type { SqlRow } from "../../sql/duckdb-session.js";
import { checkpointDomain, type LinkCheckpoint } from "../link-checkpoint.js";

export interface FoundRow {
  readonly row: SqlRow;
  readonly file: AddFile;
}

interface Within {
  readonly link?: string | undefined;
  /** `YYYY-MM-DD`. */
  readonly date?: string | null;
}

/** Finds rows of a table; one that is missing has none. */
export async function foundRows(
  { store, duckdb, table }: LakeReader,
  spec: TableSpec,
  condition: string,
  within: Within = {},
): Promise<FoundRow[]> {
  const { files } = await table(spec.name).snapshot();
  const kept = [...files.values()].filter((file) => mayHold(factsOf(file), within));
  if (kept.length === 0) return [];
  const paths = await localFiles({ store, duckdb, table: spec.name }, kept);
  const rows = await duckdb.exclusive((sql) =>
    sql.rows(`from ${parquetRows(paths, spec.columns, "file_index")} where ${condition}`),
  );
  return rows.map(({ file_index, ...row }) => ({ row, file: kept[Number(file_index)] as AddFile }));
}

function mayHold(facts: FileFacts, { link, date }: Within): boolean {
  const { firstDay, lastDay } = facts;
  if (link !== undefined && !holdsLinks(link, link)(facts)) return false;
  if (typeof date !== "string" || firstDay === undefined || lastDay === undefined) return true;
  return firstDay <= date && date <= lastDay;
}

interface UpdateCommit {
  readonly version: number;
  readonly files: readonly AddFile[];
}

/** Finds the commits of some runs' updates of a link, by run, as far back as the log reaches. */
export async function updateCommits(
  feed: DeltaLocation,
  { version: newest }: Snapshot,
  link: string,
  runs: ReadonlySet<string>,
): Promise<Map<string, UpdateCommit>> {
  const found = new Map<string, UpdateCommit>();
  const domain = checkpointDomain(link);
  for await (const { version, actions } of commitsBack(feed, newest)) {
    for (const action of actions) {
      if (!("domainMetadata" in action) || action.domainMetadata.domain !== domain) continue;
      const { run_id } = JSON.parse(action.domainMetadata.configuration) as LinkCheckpoint;
      const files = actions.flatMap((one) => ("add" in one ? [one.add] : []));
      if (runs.has(run_id)) found.set(run_id, { version, files });
    }
    if (found.size === runs.size) break;
  }
  return found;
}

/** Finds the version that added a file, and whether it only moved rows; undefined if the log no longer has it. */
export async function addedIn(
  log: DeltaLocation,
  { version: newest }: Snapshot,
  path: string,
): Promise<{ readonly version: number; readonly moved: boolean } | undefined> {
  for await (const { version, actions } of commitsBack(log, newest)) {
    for (const action of actions) {
      if ("add" in action && action.add.path === path) return { version, moved: !action.add.dataChange };
    }
  }
  return undefined;
}
