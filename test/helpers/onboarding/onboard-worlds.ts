import type { WorldOptions } from "../sync/sync-harness.js";
import { type TestWorlds, testWorlds } from "../temporal/test-worlds.js";
import { type OnboardWorld, openOnboardWorld } from "./onboard-harness.js";

export function onboardWorlds(): TestWorlds<WorldOptions, OnboardWorld> {
  return testWorlds(openOnboardWorld);
}
