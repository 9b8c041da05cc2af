import {
  type AlertRules,
  type AlertTargets,
  judgedRules,
  mergedRules,
  TARGETS,
} from "../../domain/alert-settings.js";
import { type AlertMessage, deliveryWorkflowId } from "../../domain/alerts/alert-message.js";
import { instantText } from "../../domain/duration.js";
import { InputError } from "../../domain/failures.js";
import { counted } from "../../domain/words/counted.js";
import { type Labelled, labelledLines } from "../../domain/words/texts.js";
import { type CheckedAlerts, checkAlerts, type ScheduleReader } from "../../intake/alerts/check.js";
import { pendingMessages } from "../../lake/alerts/alert-log.js";
import { lakeAt } from "../../lake/lake.js";
import { deliveriesEnded, whyLate } from "../session/alert-deliveries.js";
import { openJobSession } from "../session/job-session.js";
import { readJobConfig, runPreflight } from "../session/preflight.js";
import { showResult } from "../terminal/colours.js";
import { EXIT } from "../terminal/exit-code.js";
import { withInterruption } from "../terminal/interruption.js";
import type { Terminal } from "../terminal/terminal.js";

interface AskedCheck {
  /** Rules that override those of the file. */
  readonly rules: AlertRules;
  readonly targets: AlertTargets;
  readonly json?: boolean | undefined;
  readonly schedules: ScheduleReader;
}

/** Judges the alert rules in this process, so that it works without a worker. Returns the exit code. */
export async function checkNow(terminal: Terminal, asked: AskedCheck): Promise<number> {
  const configuration = readJobConfig(terminal);
  const { settings } = configuration.config.alerts;
  const rules = mergedRules(settings?.rules ?? {}, asked.rules);
  if (judgedRules(rules).length === 0) {
    throw new InputError(
      "no alert rule is given. Nothing was judged. Give one, such as --max-age 36h, or set alerts in nightledger.yaml.",
    );
  }
  const isTold = TARGETS.some((target) => asked.targets[target] !== undefined);
  const { board } = settings?.targets ?? {};
  const targets = isTold ? { ...asked.targets, board } : (settings?.targets ?? {});
  const preflight = await runPreflight(terminal, configuration);
  const { checked, late, why } = await withInterruption(async (interruption) => {
    const { temporal, sealed, signal } = await openJobSession(terminal, preflight, interruption);
    const lake = lakeAt(preflight.config.lake);
    interruption.releases.add(() => lake.close());
    const { scope } = preflight;
    const place = { client: temporal.client, scope, lake, sealed, schedules: asked.schedules };
    const checked = await checkAlerts(place, { rules, targets });
    const deliveries = new Set(checked.pending.map((message) => deliveryWorkflowId(scope, message)));
    await deliveriesEnded(temporal.client, [...deliveries], signal);
    const asks = new Set(checked.pending.map(nameOf));
    const late = asks.size === 0 ? [] : (await pendingMessages(lake)).filter((one) => asks.has(nameOf(one)));
    const why = late.length === 0 ? "" : await whyLate(temporal.client, [...deliveries]);
    return { checked, late, why };
  });
  showResult(terminal, asked.json, jsonOf(checked, late), () => textOf(checked));
  if (late.length > 0) {
    const messages = counted(late.length, "message is", "messages are");
    terminal.say(`${messages} not delivered yet${why}; while a worker runs, it tries again for a day`);
  }
  return checked.open.length === 0 ? EXIT.completed : EXIT.failures;
}

function nameOf({ alertId, state, target }: AlertMessage): string {
  return `${alertId} ${state} ${target}`;
}

function textOf({ open, raised, cleared }: CheckedAlerts): string[] {
  const isNew = new Set(raised.map(({ alertId }) => alertId));
  const told = open.map(({ alertId, rule, message, action, at }): Labelled => {
    const since = `since ${instantText(at)}`;
    return [isNew.has(alertId) ? "new" : "open", [`${rule}: ${message}`, since, ...action.split("; ")]];
  });
  const over = cleared.map(({ rule, message }): Labelled => ["over", `${rule}: ${message}`]);
  const lines = labelledLines([...told, ...over], 6);
  return [...lines, ...(open.length === 0 ? ["no alert is open"] : [])];
}

function jsonOf({ open, raised, cleared }: CheckedAlerts, late: readonly AlertMessage[]): object {
  return {
    open: open.map(({ alertId, rule, subject, message, action, runId, at }) => {
      const raised_at = instantText(at);
      return { alert_id: alertId, rule, subject, message, action, run_id: runId, raised_at };
    }),
    raised: raised.map(({ alertId }) => alertId),
    cleared: cleared.map(({ alertId }) => alertId),
    undelivered: late.length,
  };
}
