import { type TestWorlds, testWorlds } from "../temporal/test-worlds.js";
import { openSyncWorld, type SyncWorld, type WorldOptions } from "./sync-harness.js";

export type SyncWorlds = TestWorlds<WorldOptions, SyncWorld>;

/** Registers the hooks of a test file that syncs. */
export function syncWorlds(): SyncWorlds {
  return testWorlds(openSyncWorld);
}
