import { schemaActions, type TableSpec } from "../delta/delta-schema.js";
import type { Lake } from "../lake.js";
import { addOf, type DataFile } from "./parquet-file.js";

/**
 * Appends files to a table other than the feed, once: if the table's log has a transaction of that name, this is the
 * repetition of a call whose answer was lost, and writes nothing (docs/inside/architecture.md, "Commits").
 *
 * @param also a transaction that the commit sets as well, even where no file is written
 */
export async function appendOnce(
  lake: Lake,
  spec: TableSpec,
  appId: string,
  write: () => Promise<readonly DataFile[]>,
  also?: { readonly appId: string; readonly lastUpdated: number },
): Promise<void> {
  const table = lake.table(spec.name);
  if ((await table.snapshot()).txns.has(appId)) return;
  const files = await write();
  if (files.length === 0 && also === undefined) return;
  await table.commit((snapshot) => {
    if (snapshot.txns.has(appId)) return null;
    const lastUpdated = Date.now();
    // Checkpoints drop transactions in the order of their versions, so these are the log's own.
    const version = snapshot.version + 1;
    return [
      ...schemaActions(spec, snapshot, lastUpdated),
      { txn: { appId, version, lastUpdated } },
      ...(also === undefined ? [] : [{ txn: { ...also, version } }]),
      ...files.map((file) => ({ add: addOf(file) })),
    ];
  });
}
