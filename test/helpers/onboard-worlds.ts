import { type OnboardWorld, openOnboardWorld } from "./onboard-harness.js";
import type { WorldOptions } from "./sync-harness.js";
import { type TestWorlds, testWorlds } from "./test-worlds.js";

/** Registers the hooks of a test file that onboards. */
export function onboardWorlds(): TestWorlds<WorldOptions, OnboardWorld> {
  return testWorlds(openOnboardWorld);
}
