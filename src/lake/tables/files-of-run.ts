import type { AddFile } from "../delta/delta-actions.js";
import { changesAfter } from "../delta/delta-log.js";
import type { Lake } from "../lake.js";

/**
 * Finds the files of a table that hold the rows of a run: those that came since its first commit, which may hold rows of
 * others too. Undefined where the log can't tell any more.
 *
 * @param runId with which the transactions of its commits begin, before a slash
 */
export async function filesOfRun(
  { store, duckdb, table }: Pick<Lake, "store" | "duckdb" | "table">,
  name: string,
  runId: string,
): Promise<AddFile[] | undefined> {
  const snapshot = await table(name).snapshot();
  const versions = [...snapshot.txns].flatMap(([appId, { version }]) =>
    appId.startsWith(`${runId}/`) ? [version] : [],
  );
  if (versions.length === 0) return [];
  const came = await changesAfter({ store, duckdb, table: name }, Math.min(...versions) - 1, snapshot);
  return came?.map(({ add }) => add);
}
