import { afterAll, afterEach, beforeAll } from "vitest";
import { type OnboardWorld, openOnboardWorld } from "./onboard-harness.js";
import type { WorldOptions } from "./sync-harness.js";
import { startTestTemporal, type TestTemporal } from "./temporal-environment.js";

/** Registers the hooks of a test file that onboards; gives what opens worlds that end with their test. */
export function onboardWorlds(): { open(options?: WorldOptions): Promise<OnboardWorld> } {
  let temporal: TestTemporal | undefined;
  const open: OnboardWorld[] = [];
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
  return {
    async open(options) {
      if (temporal === undefined) throw new Error("the Temporal server of this file is not up yet");
      const world = await openOnboardWorld(temporal, options);
      open.push(world);
      return world;
    },
  };
}
