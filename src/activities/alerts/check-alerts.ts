import { activityInfo, Context } from "@temporalio/activity";
import {
  type AlertRules,
  type AlertSettings,
  judgedRules,
  mergedRules,
} from "../../domain/alert-settings.js";
import { InputError } from "../../domain/failures.js";
import { scopeOfQueue } from "../../domain/run.js";
import { checkAlerts, type ScheduleReader } from "../../intake/alerts/check.js";
import type { Dependencies } from "../dependencies.js";

export interface AlertDependencies extends Dependencies {
  /** The rules that this worker judges after each run, and its targets; left out where there are no rules. */
  readonly alerts?: AlertSettings | undefined;
  /** `whsec_` and base64: signs messages to a webhook; left out, they are not signed. */
  readonly alertSecret?: string | undefined;
  readonly schedules: ScheduleReader;
}

/** Judges this worker's rules, which given ones override. @throws InputError where there are none. */
export async function checkRules(
  deps: AlertDependencies,
  { rules: given }: { readonly rules: AlertRules },
): Promise<void> {
  const { targets = {}, rules: own = {} } = deps.alerts ?? {};
  const rules = mergedRules(own, given);
  if (judgedRules(rules).length === 0) {
    const words =
      "no alert rule is set: give one to the schedule, or set it in nightledger.yaml of the worker";
    deps.log.error(words);
    throw new InputError(words);
  }
  await check(deps, { rules, targets });
}

/** Judges this worker's rules after a run. Logs its own failures, which never fail the run. */
export async function checkAfterRun(deps: AlertDependencies): Promise<void> {
  const { alerts, log } = deps;
  if (alerts === undefined) return;
  try {
    await check(deps, { ...alerts, rules: mergedRules(alerts.rules, {}) });
  } catch (error) {
    log.error({ err: error }, "alert rules could not be judged; the end of the next run judges them again");
  }
}

async function check(deps: AlertDependencies, settings: AlertSettings): Promise<void> {
  const { lake, sealed, schedules, log, metrics } = deps;
  const scope = scopeOfQueue(activityInfo().taskQueue);
  const place = { client: Context.current().client, scope, lake, sealed, schedules };
  const { raised, cleared } = await checkAlerts(place, settings);
  for (const { rule } of raised) metrics?.alerted(rule, "raised");
  for (const { rule } of cleared) metrics?.alerted(rule, "cleared");
  for (const { alertId, rule, message } of raised) log.warn({ alert: alertId, rule }, `alert: ${message}`);
  for (const { alertId, rule, message } of cleared)
    log.info({ alert: alertId, rule }, `alert over: ${message}`);
}
