import { proxyActivities } from "@temporalio/workflow";
import type { Activities } from "../../activities/create-activities.js";
import type { AlertRules } from "../../domain/alert-settings.js";
import type { RunStatus } from "../../domain/run.js";
import { HEARTBEATING } from "../policies.js";

const { checkRules } = proxyActivities<Activities>(HEARTBEATING);

interface CheckAlertsInput {
  readonly rules: AlertRules;
}

/** Judges alert rules once, when a schedule fires. */
export async function checkAlerts({ rules }: CheckAlertsInput): Promise<{ readonly status: RunStatus }> {
  await checkRules({ rules });
  return { status: "completed" };
}
