import { cancellationSignal } from "@temporalio/activity";
import { readList } from "../../api/lists/read-list.js";
import { listUserTransactions, syncTransactions } from "../../api/operations/bank-data.js";
import { hasNews } from "../../domain/sync/link-update.js";
import { materialize } from "../../lake/materialize/materialize.js";
import { wantedRule } from "../../lake/materialize/pending-rows.js";
import { linkCheckpoint } from "../../lake/sync/link-checkpoint.js";
import {
  broughtPendingRows,
  listedName,
  namesPendingRows,
  type UnnamedPending,
  unnamedPending,
} from "../../lake/sync/unnamed-pending.js";
import { transactionChanges, transactions } from "../../lake/tables/transactions.js";
import type { Dependencies } from "../dependencies.js";
import { countedCalls } from "../slice.js";

/** Of which the list is read: one is enough where the service behaves the same to all. */
const MOST_LINKS = 3;

/** The next run looks again. */
const LONGEST_WAIT_MS = 60_000;

/** Pending rows that may be gone, while nobody knows; the calls that were made to find out. */
export const NOTHING_FOUND = { undecided: 0, calls: 0 };

/**
 * Finds out, and records, by which rule pending rows live, where the setting is `auto` and this run brought some
 * (docs/use/tables.md, "Pending rows").
 */
export async function findPendingRule(deps: Dependencies, runId: string): Promise<typeof NOTHING_FOUND> {
  const { lake, log } = deps;
  const known = wantedRule(lake.pending, await lake.table(transactions.name).snapshot());
  if (known !== undefined || !(await broughtPendingRows(lake, runId))) return NOTHING_FOUND;
  const signal = cancellationSignal();
  const areNamed = await namesPendingRows(lake);
  const links = areNamed ? [] : await unnamedPending(lake);
  const counted = countedCalls(deps);
  const seen: (boolean | undefined)[] = [];
  for (const link of links.slice(0, MOST_LINKS)) {
    const look = isReplaced(counted.deps, link).catch((error) => {
      signal.throwIfAborted();
      log.warn(
        { run_id: runId, link_id: link.link_id, err: error },
        "could not look what became of a pending row",
      );
      return undefined;
    });
    seen.push(await look);
  }
  const { calls } = counted.sent;
  const areReplaced = seen.includes(true);
  if (!areNamed && areReplaced === seen.includes(false))
    return { undecided: links.reduce((sum, { rows }) => sum + rows, 0), calls };
  if (areReplaced)
    log.warn(
      { run_id: runId },
      "the service replaces pending rows and names none that went: transactions is built again",
    );
  await materialize(lake, { runId, signal, rule: areReplaced ? "replaced" : "listed" });
  return { undecided: 0, calls };
}

/**
 * Whether the user's list has newer pending rows of a link and none of the older ones, although its log, read after the
 * list, has nothing new. Undefined where nobody can tell.
 */
async function isReplaced(
  { api, lake }: Dependencies,
  { link_id, fp_id, older, newer, from, to }: UnnamedPending,
): Promise<boolean | undefined> {
  const { cursor } = linkCheckpoint(await lake.table(transactionChanges.name).snapshot(), link_id) ?? {};
  if (cursor === undefined || cursor === null) return undefined;
  const call = { signal: cancellationSignal(), notAfter: Date.now() + LONGEST_WAIT_MS };
  const listed = new Set<string>();
  const query = { start_date: from, end_date: to, size: 100 };
  for await (const row of readList(api, listUserTransactions, { path: { fp_id }, query }, call)) {
    listed.add(listedName(row as object));
  }
  const isListed = (name: string) => listed.has(name);
  if (older.some(isListed)) return false;
  const update = await api.read(syncTransactions, { path: { link_id }, query: { cursor, size: 1 } }, call);
  return hasNews(update) || !newer.some(isListed) ? undefined : true;
}
