import type { PendingRule } from "../../domain/tables/pending-rule.js";
import type { Lake } from "../lake.js";
import { inQueue } from "../queue.js";
import { commitNext } from "../tables/append.js";
import { sourceSince, watermarkActions, watermarkOf } from "../watermark.js";
import { TRANSACTIONS } from "./derived-table.js";
import {
  decidedRule,
  expiryOf,
  REFRESHES,
  refreshes,
  ruleActions,
  ruleOf,
  wantedRule,
} from "./pending-rows.js";
import { rewrite } from "./rewrite.js";

const { table, source } = TRANSACTIONS;
const FEED = source.name;

/** After so many versions without rows, which each call reads again, the watermark is worth a commit. */
const IDLE_VERSIONS = 100;

interface MaterializeOptions {
  readonly signal?: AbortSignal;
  /** Names new files. */
  readonly runId?: string;
  /** Found out by a sync, where the setting is `auto`. */
  readonly rule?: PendingRule;
}

interface Materialized {
  /** The feed's versions; -1 for none. */
  readonly from: number;
  readonly to: number;
  readonly rows: number;
  readonly rewritten: number;
  /** The whole feed replaced `transactions`. */
  readonly rebuilt: boolean;
  readonly because?: string;
}

/**
 * Brings `transactions` up to the feed in one commit with its watermark (docs/inside/rules.md, "Materialize").
 * @throws InputError where a file is missing or a table needs a newer version; StoreFullError; PassingError when every
 * attempt lost; the signal's reason. `transactions` then is as it was
 */
export async function materialize(lake: Lake, options: MaterializeOptions = {}): Promise<Materialized> {
  return inQueue(`${lake.store.address}/${table.name}`, () => bringUp(lake, options));
}

async function bringUp(
  lake: Lake,
  { signal, runId, rule: found }: MaterializeOptions,
): Promise<Materialized> {
  for (;;) {
    signal?.throwIfAborted();
    const current = await lake.table(table.name).snapshot();
    // The feed second, so that `transactions` is never ahead of it.
    const head = await lake.table(FEED).snapshot();
    const from = watermarkOf(current, FEED);
    const nothing = { from, to: head.version, rows: 0, rewritten: 0, rebuilt: false };
    if (from < 0 && head.files.size === 0) return nothing;
    const rule = found ?? wantedRule(lake.pending, current);
    const isOther = from >= 0 && rule !== undefined && rule !== ruleOf(current);
    const changes = await sourceSince(
      lake,
      { table: table.name, snapshot: current },
      { table: FEED, snapshot: head },
      isOther ? `pending rows count as ${rule} from now on` : undefined,
    );
    const refreshed = rule === "replaced" ? await refreshes(lake, changes.whole) : undefined;
    const isSame = refreshed === undefined || refreshed.head.version === watermarkOf(current, REFRESHES);
    const isIdle = !changes.whole && changes.adds.length === 0 && head.version - from < IDLE_VERSIONS;
    if (isSame && isIdle && rule === decidedRule(current)) return nothing;
    const { files, replaced } = await rewrite(
      lake,
      TRANSACTIONS,
      runId ?? "materialize",
      current,
      changes,
      refreshed && expiryOf(refreshed.files),
    );
    const sources = [{ table: FEED, snapshot: head }];
    if (refreshed !== undefined && refreshed.head.version >= 0)
      sources.push({ table: REFRESHES, snapshot: refreshed.head });
    const marks = await Promise.all(
      sources.map((each) => watermarkActions(lake.store, each, each.snapshot.version)),
    );
    const actions = [
      { commitInfo: { operation: "MERGE", ...(runId !== undefined && { runId }) } },
      ...marks.flat(),
      ...ruleActions(rule),
    ];
    if (!(await commitNext(lake, table, current, { files, replaced, actions }))) continue;
    const { because } = changes;
    return {
      ...nothing,
      rows: files.reduce((sum, { rows }) => sum + rows, 0),
      rewritten: replaced.length,
      rebuilt: because !== undefined,
      ...(because !== undefined && { because }),
    };
  }
}
