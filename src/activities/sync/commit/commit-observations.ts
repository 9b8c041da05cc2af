import type { RosterRow } from "../../../domain/sync/roster.js";
import type { WholeList } from "../../../lake/history/append-changes.js";
import { pageSha256 } from "../../../lake/staging.js";
import { frozenUsers } from "../../../lake/sync/frozen-roster.js";
import { commitObserved } from "../../../lake/sync/observed-rows.js";
import { bundleQuery } from "../../../lake/sync/page-bundle.js";
import { appendOnce } from "../../../lake/tables/append.js";
import { writeRows } from "../../../lake/tables/parquet-file.js";
import { quarantine } from "../../../lake/tables/quarantine.js";
import type { Stream } from "../../../streams/stream.js";
import { withHeartbeat } from "../../heartbeat.js";
import type { SyncDependencies } from "../dependencies.js";
import { loadWithRepair, type PageToLoad, type SeenPage } from "../load/load-with-repair.js";
import { type ObservedUser, observedStreams, ownersOf, stagedPages } from "../read/observed-pages.js";

interface ObserveGroupInput {
  readonly runId: string;
  readonly group: number;
  /** Names of the streams that the run reads. */
  readonly streams: readonly string[];
  /** Only these links, or all. */
  readonly links: readonly string[] | null;
  readonly users: readonly ObservedUser[];
}

interface ObserveGroupResult {
  /** Bad rows among links and accounts. */
  readonly quarantined: number;
}

/**
 * Commits what a group's users look like now: `accounts`, `bank_links` and their bad rows. Links are read
 * meanwhile; none of them is committed before this is (docs/architecture.md, "Commit of a group").
 */
export async function observeGroup(
  deps: SyncDependencies,
  input: ObserveGroupInput,
): Promise<ObserveGroupResult> {
  return withHeartbeat(async () => {
    const roster = await frozenUsers(deps.lake.store, input.runId, input.group);
    const appId = `${input.runId}/g${input.group}`;
    const bad: Record<string, unknown>[] = [];
    for (const stream of observedStreams(deps.streams, input.streams)) {
      const pages = await pagesOf(deps, input, stream, roster);
      if (pages.length === 0) continue;
      if (input.streams.some((name) => name === stream.name)) {
        await commitPages(deps, input.runId, appId, stream, pages);
      }
      for (const page of pages) bad.push(...(await quarantinedRows(deps, page)));
    }
    await appendOnce(deps.lake, quarantine, appId, () => writeRows(deps.lake, quarantine, input.runId, bad));
    return { quarantined: bad.length };
  });
}

/** Commits the rows of a stream's pages, and which of its lists they hold as a whole. */
async function commitPages(
  deps: SyncDependencies,
  runId: string,
  appId: string,
  stream: Stream,
  pages: readonly PageToLoad[],
): Promise<void> {
  const seen = new Map<PageToLoad, SeenPage>();
  await loadWithRepair(
    deps,
    stream,
    pages,
    async (bundle) => {
      const whole = await wholeLists(deps, seen);
      await commitObserved(deps.lake, stream, { appId, runId, query: bundleQuery(stream, bundle), whole });
    },
    (page, facts) => seen.set(page, facts),
  );
}

/** The lists whose pages have no bad row, each with the time of its last page. */
async function wholeLists(
  { lake }: SyncDependencies,
  seen: ReadonlyMap<PageToLoad, SeenPage>,
): Promise<WholeList[]> {
  const lists = new Map<string, WholeList | undefined>();
  for (const [{ name, fpId, linkId }, { sha256, fetchedAt, cleaned }] of seen) {
    const known = lists.get(name.owner);
    const isBad = cleaned && (await lake.staging.badRows(name, sha256)).length > 0;
    if (isBad || (known === undefined && lists.has(name.owner))) lists.set(name.owner, undefined);
    else if (known === undefined || known.readAt < fetchedAt) {
      lists.set(name.owner, { fpId, linkId, readAt: fetchedAt });
    }
  }
  return [...lists.values()].filter((list) => list !== undefined);
}

/** Every staged page of a stream, over the users. */
async function pagesOf(
  deps: SyncDependencies,
  input: ObserveGroupInput,
  stream: Stream,
  roster: readonly RosterRow[],
): Promise<PageToLoad[]> {
  const pages: PageToLoad[] = [];
  for (const { user, attempt } of input.users) {
    const row = roster[user];
    if (row === undefined) continue;
    for (const owner of await ownersOf(deps, input, stream, row)) {
      pages.push(...(await stagedPages(deps, input.runId, stream, owner, attempt)));
    }
  }
  return pages;
}

async function quarantinedRows(deps: SyncDependencies, page: PageToLoad): Promise<Record<string, unknown>[]> {
  const { staging } = deps.lake;
  const staged = await staging.page(page.name);
  if (staged === undefined) throw new Error("a staged page is gone while it is committed");
  return (await staging.badRows(page.name, pageSha256(staged.body))).map((row) => ({
    run_id: page.name.runId,
    stream: page.name.stream,
    fp_id: page.fpId,
    link_id: page.linkId,
    page: page.name.page,
    index: row.index,
    list: row.list,
    reason: row.reason,
    payload: row.payload,
    fetched_at: staged.fetchedAt.toISOString(),
  }));
}
