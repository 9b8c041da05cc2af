import { join } from "node:path";
import { type NewEvent, type Sandbox, transactionRow } from "../../../sandbox/index.js";
import type { Row, SyncWorld } from "./sync-harness.js";

/** Adds a link with so many created rows `<id>-0000`, … */
export function addLink({ sandbox }: SyncWorld, id: string, rows: number, fp_id = "fp_1"): void {
  sandbox.addLink({ fp_id, id });
  addRows(sandbox, id, rows);
}

/** Appends so many created rows to a link, numbered on from `from`. */
export function addRows(sandbox: Sandbox, id: string, rows: number, from = 0): void {
  sandbox.append(
    id,
    Array.from({ length: rows }, (_, n) => created(`${id}-${String(from + n).padStart(4, "0")}`)),
  );
}

export function created(
  transaction_id: string,
  fields: Omit<Parameters<typeof transactionRow>[0], "transaction_id"> = {},
): NewEvent {
  return { change: "created", row: transactionRow({ transaction_id, ...fields }) };
}

export function updated(
  transaction_id: string,
  fields: Omit<Parameters<typeof transactionRow>[0], "transaction_id"> = {},
): NewEvent {
  return { change: "updated", row: transactionRow({ transaction_id, ...fields }) };
}

export function removed(id: string): NewEvent {
  return { change: "removed", id };
}

export async function linkSync(world: SyncWorld, runId: string, link: string): Promise<Row | undefined> {
  const rows = await world.rows(`select * from link_syncs where run_id = '${runId}' and link_id = '${link}'`);
  if (rows.length > 1) throw new Error(`${rows.length} rows of one link and run in link_syncs`);
  return rows[0];
}

/** What was asked about a link's transactions since the requests were cleared. */
export function syncCalls(world: SyncWorld, link: string) {
  return world.sandbox.requests({ operation: "sync_transactions", link });
}

export async function feedOf(world: SyncWorld, link: string): Promise<string[]> {
  const rows = await world.rows(
    `select change_type || ' ' || transaction_id || case when inferred then ' inferred' else '' end as entry
     from transaction_changes where link_id = '${link}' order by sequence`,
  );
  return rows.map(({ entry }) => String(entry));
}

export async function liveIds(world: SyncWorld, link: string): Promise<string[]> {
  const rows = await world.rows(
    `select transaction_id from transactions where link_id = '${link}' order by transaction_id`,
  );
  return rows.map(({ transaction_id }) => String(transaction_id));
}

/** The live data files of each version of a table, as a SQL list of paths; versions without files are left out. */
export async function versionsOf({ lake, store }: SyncWorld, table: string): Promise<string[]> {
  const live = new Set<string>();
  const versions: string[] = [];
  for (const { key } of await store.list(`${table}/_delta_log/`)) {
    if (!/\/\d{20}\.json$/.test(key)) continue;
    for (const line of String(await store.get(key))
      .split("\n")
      .filter(Boolean)) {
      const { add, remove } = JSON.parse(line) as { add?: { path: string }; remove?: { path: string } };
      if (remove !== undefined) live.delete(remove.path);
      if (add !== undefined) live.add(add.path);
    }
    if (live.size > 0) versions.push([...live].map((path) => `'${join(lake, table, path)}'`).join(", "));
  }
  return versions;
}
