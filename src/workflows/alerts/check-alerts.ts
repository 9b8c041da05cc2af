import { proxyActivities } from "@temporalio/workflow";
import type { Activities } from "../../activities/create-activities.js";
import type { AlertRules } from "../../domain/alert-settings.js";
import type { RunStatus } from "../../domain/run.js";
import { HEARTBEATING } from "../policies.js";

const { checkRules } = proxyActivities<Activities>(HEARTBEATING);

/** Judges alert rules once, as a schedule asks for. */
export async function checkAlerts(input: {
  readonly rules: AlertRules;
}): Promise<{ readonly status: RunStatus }> {
  await checkRules({ rules: input.rules });
  return { status: "completed" };
}
