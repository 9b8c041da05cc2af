import { createHash } from "node:crypto";
import type { Client } from "@temporalio/client";
import { type AlertSettings, type AlertTargets, judgedRules, TARGETS } from "../../domain/alert-settings.js";
import {
  type AlertMessage,
  DELIVERY_SIGNAL,
  DELIVERY_WORKFLOW,
  deliveryWorkflowId,
} from "../../domain/alerts/alert-message.js";
import type { GoingRun, ScheduleFacts } from "../../domain/alerts/facts.js";
import { judge } from "../../domain/alerts/judge.js";
import { type AlertEvent, transitions } from "../../domain/alerts/transitions.js";
import { startOfRun, taskQueue } from "../../domain/run.js";
import { openAlerts, pendingMessages, type WrittenAlerts, writeAlerts } from "../../lake/alerts/alert-log.js";
import { lakeFacts } from "../../lake/alerts/lake-facts.js";
import type { Lake } from "../../lake/lake.js";
import type { SealedStore } from "../../lake/store/sealed-store.js";
import { runningRuns, signalOrStart } from "../../temporal/running-workflows.js";

/** Reads the schedules of a scope that are not paused. */
export type ScheduleReader = (client: Client, scope: string, now: number) => Promise<ScheduleFacts[]>;

interface CheckPlace {
  readonly client: Client;
  readonly scope: string;
  readonly lake: Lake;
  readonly sealed: SealedStore;
  readonly schedules: ScheduleReader;
}

/** What a check found and did. */
export interface CheckedAlerts extends WrittenAlerts {
  /** Alerts of the rules that were judged. */
  readonly open: readonly AlertEvent[];
  /** Messages that are not delivered yet; the check asked Temporal to deliver them. */
  readonly pending: readonly AlertMessage[];
}

/** The end of a run must not wait for Temporal longer than this. */
const TEMPORAL_WITHIN_MS = 20_000;

/**
 * Judges the rules, writes what changed, and has Temporal deliver what no target has been sent, also what an earlier
 * check wrote before it was killed. A repetition raises nothing twice.
 */
export async function checkAlerts(
  { client, scope, lake, sealed, schedules: readSchedules }: CheckPlace,
  { rules, targets }: AlertSettings,
  now = Date.now(),
): Promise<CheckedAlerts> {
  const deadline = Date.now() + TEMPORAL_WITHIN_MS;
  const asksSchedules = rules["run-missing"] === true;
  const asksRuns = asksSchedules || rules["run-longer-than"] !== undefined;
  const { schedules, going } = await client.connection.withDeadline(deadline, async () => ({
    schedules: asksSchedules ? await readSchedules(client, scope, now) : [],
    going: asksRuns ? await goingRuns(client, scope) : [],
  }));
  const facts = { ...(await lakeFacts(lake, rules, schedules)), schedules, going };
  const judged = judgedRules(rules);
  const causes = judge(rules, facts, now);
  const told = TARGETS.filter((target) => targets[target] !== undefined);
  const written = await writeAlerts(lake, (open) => transitions(open, causes, judged), told);
  const pending = (await pendingMessages(lake)).filter(({ target }) => told.includes(target));
  if (pending.length > 0) await askDelivery(client, scope, await sealTargets(sealed, targets), pending);
  const open = (await openAlerts(lake)).filter(({ rule }) => judged.includes(rule));
  return { open, ...written, pending };
}

/** Starts one workflow for each alert and target: so no message is sent by two, and they arrive in order. */
async function askDelivery(
  client: Client,
  scope: string,
  targets: string,
  messages: readonly AlertMessage[],
): Promise<void> {
  const asked = new Map(messages.map((message) => [deliveryWorkflowId(scope, message), message]));
  for (const [workflowId, { alertId, target }] of asked) {
    const start = { workflowId, taskQueue: taskQueue(scope), args: [{ alertId, target, targets }] };
    await signalOrStart(client, DELIVERY_WORKFLOW, start, DELIVERY_SIGNAL);
  }
}

async function goingRuns(client: Client, scope: string): Promise<GoingRun[]> {
  return (await runningRuns(client, taskQueue(scope))).map(({ runId, memo: { schedule }, startTime }) => {
    // A run that continued as new is older than its last execution.
    const startedAt = Date.parse(startOfRun(runId)) || startTime.getTime();
    const kind = runId.slice(0, runId.indexOf("-"));
    return { runId, kind, schedule: typeof schedule === "string" ? schedule : null, startedAt };
  });
}

/** Keeps the targets of alerts, sealed, and returns their name: a history must not hold the address of a webhook. */
async function sealTargets(sealed: SealedStore, { command, webhook, board }: AlertTargets): Promise<string> {
  const targets: AlertTargets = { command, webhook, board };
  const name = createHash("sha256").update(JSON.stringify(targets)).digest("hex").slice(0, 32);
  await sealed.putIfAbsent(keyOf(name), targets);
  return name;
}

/** Reads the targets of a name. @throws StagingLostError where they were deleted */
export function sealedTargets(sealed: SealedStore, name: string): Promise<AlertTargets> {
  return sealed.require<AlertTargets>(keyOf(name));
}

function keyOf(name: string): string {
  return `_staging/alerts/${name}`;
}
