import type { SyncStream } from "../../domain/sync/job.js";
import { frozenUsers } from "../../lake/sync/frozen-roster.js";
import { bundleQuery } from "../../lake/sync/page-bundle.js";
import type { Stream } from "../../lake/sync/stream.js";
import { appendOnce } from "../../lake/tables/append.js";
import { writeQuery, writeRows } from "../../lake/tables/parquet-file.js";
import { quarantine } from "../../lake/tables/quarantine.js";
import type { Dependencies } from "../dependencies.js";
import { beating } from "../heartbeat.js";
import { userReads } from "./discover.js";
import { loadWithRepair, type PageToLoad } from "./load-with-repair.js";

export interface ObserveGroupInput {
  readonly runId: string;
  readonly group: number;
  readonly streams: readonly SyncStream[];
  /** Users whose links and accounts are staged. */
  readonly users: readonly number[];
}

export interface ObserveGroupResult {
  /** Bad rows among links and accounts. */
  readonly quarantined: number;
}

/**
 * Commits what a group's users look like now: `accounts`, `bank_links` and their bad rows. Links are read
 * meanwhile; none of them is committed before this is (docs/architecture.md, "Commit of a group").
 */
export async function observeGroup(
  deps: Dependencies,
  input: ObserveGroupInput,
): Promise<ObserveGroupResult> {
  return beating(async () => {
    const roster = await frozenUsers(deps.lake.store, input.runId, input.group);
    const users = input.users.flatMap((user) => roster[user] ?? []);
    const appId = `${input.runId}/g${input.group}`;
    const bad: Record<string, unknown>[] = [];
    for (const { stream } of userReads(input.streams)) {
      const pages = users.map(({ fp_id }) => observedPage(input.runId, stream, fp_id));
      if (pages.length === 0) continue;
      if (input.streams.some((name) => name === stream.name)) {
        await appendOnce(deps.lake, stream.table, appId, () =>
          loadWithRepair(deps, stream, pages, (bundle) =>
            writeQuery(deps.lake, stream.table, input.runId, bundleQuery(stream, bundle)),
          ),
        );
      }
      for (const page of pages) bad.push(...(await quarantinedRows(deps, page)));
    }
    await appendOnce(deps.lake, quarantine, appId, () => writeRows(deps.lake, quarantine, input.runId, bad));
    return { quarantined: bad.length };
  });
}

/** The staged answer of a user-level read. */
export function observedPage(runId: string, stream: Stream, fpId: string): PageToLoad {
  const name = { runId, stream: stream.name, owner: fpId, attempt: 0, page: 0 };
  return { name, fpId, linkId: null, generation: null, sequenceFrom: null };
}

async function quarantinedRows(deps: Dependencies, page: PageToLoad): Promise<Record<string, unknown>[]> {
  const { clean, fetchedAt } = await deps.lake.staging.describe(page.name);
  if (!clean) return [];
  return (await deps.lake.staging.badRows(page.name)).map((row) => ({
    run_id: page.name.runId,
    stream: page.name.stream,
    fp_id: page.fpId,
    link_id: null,
    page: 0,
    index: row.index,
    list: row.list,
    reason: row.reason,
    payload: row.payload,
    fetched_at: fetchedAt.toISOString(),
  }));
}
