import { afterAll, afterEach, beforeAll } from "vitest";
import { sharedTemporal } from "./shared-temporal.js";
import { startTestTemporal, type TestTemporal } from "./temporal-environment.js";

/** The Temporal server that a test file uses, and worlds that end with their test. */
export interface TestWorlds<Options, World> {
  readonly temporal: TestTemporal;
  open(options?: Options): Promise<World>;
}

/** Registers the hooks of a test file that opens worlds around a Temporal server: the shared one, or its own. */
export function testWorlds<Options, World extends { close(): Promise<void> }>(
  openWorld: (temporal: TestTemporal, options?: Options) => Promise<World>,
  own?: Parameters<typeof startTestTemporal>[0],
): TestWorlds<Options, World> {
  let temporal: TestTemporal | undefined;
  const open: World[] = [];
  const closeAll = async () => {
    for (const world of open.splice(0)) await world.close();
  };
  beforeAll(async () => {
    temporal = own === undefined ? sharedTemporal() : await startTestTemporal(own);
  });
  afterEach(closeAll);
  afterAll(async () => {
    await closeAll();
    await temporal?.stop();
  });
  const running = (): TestTemporal => {
    if (temporal === undefined) throw new Error("the Temporal server of this file is not up yet");
    return temporal;
  };
  return {
    get temporal() {
      return running();
    },
    async open(options) {
      const world = await openWorld(running(), options);
      open.push(world);
      return world;
    },
  };
}
