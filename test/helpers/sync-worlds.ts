import { afterAll, afterEach, beforeAll } from "vitest";
import { openSyncWorld, type SyncWorld, type WorldOptions } from "./sync-harness.js";
import { startTestTemporal, type TestTemporal } from "./temporal-environment.js";

/** The Temporal server of a test file, and worlds that end with their test. */
export interface SyncWorlds {
  readonly temporal: TestTemporal;
  open(options?: WorldOptions): Promise<SyncWorld>;
}

/** Registers the hooks of a test file that syncs. */
export function syncWorlds(): SyncWorlds {
  let temporal: TestTemporal | undefined;
  const open: SyncWorld[] = [];
  const closeAll = async () => {
    for (const world of open.splice(0)) await world.close();
  };
  beforeAll(async () => {
    temporal = await startTestTemporal();
  });
  afterEach(closeAll);
  afterAll(async () => {
    await closeAll();
    await temporal?.stop();
  });
  const server = (): TestTemporal => {
    if (temporal === undefined) throw new Error("the Temporal server of this file is not up yet");
    return temporal;
  };
  return {
    get temporal() {
      return server();
    },
    async open(options) {
      const world = await openSyncWorld(server(), options);
      open.push(world);
      return world;
    },
  };
}
