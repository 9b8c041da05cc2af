import { mapConcurrent } from "../../domain/concurrent-work.js";
import { serializeActions } from "../delta/delta-actions.js";
import { commitKey } from "../delta/delta-path.js";
import { creationOf, type TableSpec } from "../delta/delta-schema.js";
import { identified } from "../delta/delta-table.js";
import type { ObjectStore } from "../store/object-store.js";

const AT_ONCE = 8;

/** Creates tables without a log, empty, so that every reader finds them. */
export async function createTables(store: ObjectStore, specs: readonly TableSpec[]): Promise<void> {
  const created = { commitInfo: { operation: "CREATE TABLE" } };
  await mapConcurrent(AT_ONCE, specs, (spec) => {
    const actions = identified([created, ...creationOf(spec, Date.now())]);
    return store.putIfAbsent(commitKey(spec.name, 0), serializeActions(actions));
  });
}
