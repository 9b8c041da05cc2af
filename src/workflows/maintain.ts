import { proxyActivities } from "@temporalio/workflow";
import type { Activities } from "../activities/create-activities.js";
import type { RunStatus } from "../domain/run.js";
import { HEARTBEATING } from "./policies.js";

const { maintainLake } = proxyActivities<Activities>(HEARTBEATING);

/** Maintains the lake once, as a schedule asks for. */
export async function maintain(
  input: Parameters<Activities["maintainLake"]>[0],
): Promise<{ readonly status: RunStatus }> {
  return { status: await maintainLake(input) };
}
