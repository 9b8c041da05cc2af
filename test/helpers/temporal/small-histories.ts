import { startConfiguredTemporal } from "./configured-temporal.js";
import type { TestTemporal } from "./temporal-environment.js";

const SUGGEST_AFTER = 20;

/** Starts a server, in memory, whose workflows continue as new after a few events. */
export function startSmallHistories(): Promise<TestTemporal> {
  return startConfiguredTemporal(`limit.historyCount.suggestContinueAsNew=${SUGGEST_AFTER}`);
}
