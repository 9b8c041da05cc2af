import { schemaActions, type TableSpec } from "../delta/delta-schema.js";
import type { Lake } from "../lake.js";
import { addOf, type DataFile } from "./parquet-file.js";

/**
 * Appends files to a table that is not the feed, once: where a transaction of that name stands, a lost answer
 * is being repeated and nothing is written (docs/inside/architecture.md, "Commits").
 */
export async function appendOnce(
  lake: Lake,
  spec: TableSpec,
  appId: string,
  write: () => Promise<DataFile | undefined>,
): Promise<void> {
  const table = lake.table(spec.name);
  if ((await table.snapshot()).txns.has(appId)) return;
  const file = await write();
  if (file === undefined) return;
  await table.commit((snapshot) => {
    if (snapshot.txns.has(appId)) return null;
    const now = Date.now();
    return [
      ...schemaActions(spec, snapshot, now),
      // The log's own version is the order in which checkpoints leave transactions out.
      { txn: { appId, version: snapshot.version + 1, lastUpdated: now } },
      { add: addOf(file) },
    ];
  });
}
