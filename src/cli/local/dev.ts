import { readConfig } from "../../config.js";
import { durationWords } from "../../domain/duration.js";
import { InputError } from "../../domain/failures.js";
import { NO_WEBHOOKS } from "../../receiver/receiver.js";
import { checkPlace } from "../../temporal/listen.js";
import { watchOpenRows } from "../../temporal/onboarding/open-rows.js";
import { openUi } from "../board/ui.js";
import { ensureUpkeep } from "../schedules/upkeep.js";
import { openJobSession } from "../session/job-session.js";
import { exportMetrics } from "../session/metrics.js";
import { runPreflight } from "../session/preflight.js";
import { aborted, withInterruption } from "../terminal/interruption.js";
import { type Terminal, withTimeStamps } from "../terminal/terminal.js";
import { checkWebhookMode, openReceiver } from "../webhooks/serve.js";
import { guardTemporalUi } from "./temporal-ui.js";

interface DevFlags {
  readonly temporalUi?: boolean;
  readonly webhooksPort?: number;
}

/** Runs the embedded server and a worker until it is stopped, and a receiver where webhook secrets are set. */
export async function runDev(
  terminal: Terminal,
  { temporalUi = false, webhooksPort }: DevFlags,
): Promise<void> {
  const preflight = await runPreflight(terminal);
  if (preflight.settings.mode === "cluster") {
    throw new InputError(
      "TEMPORAL_ADDRESS is set, so jobs use that cluster. Run `nightledger worker`, or unset it to use the embedded server.",
    );
  }
  const { webhooksIfAny: webhooks } = readConfig(terminal, ["webhooksIfAny"]);
  const receives = webhooks.secrets.length > 0;
  if (!receives && webhooksPort !== undefined)
    terminal.say("warning: --webhooks-port does nothing, as NIGHTLEDGER_WEBHOOK_SECRETS is not set");
  const place = { host: "127.0.0.1", port: webhooksPort ?? 8_788 };
  if (receives) {
    checkWebhookMode(webhooks, preflight);
    await checkPlace(place, NO_WEBHOOKS);
  }
  const metrics = await exportMetrics(terminal);
  await withInterruption(async (held) => {
    const { say } = withTimeStamps(terminal);
    const onLog = (fields: LoggedFields) => {
      for (const line of runLine(fields)) say(line);
    };
    const session = await openJobSession(terminal, preflight, held, { ui: temporalUi, onLog });
    const { temporal, signal } = session;
    terminal.say(`Temporal  ${temporal.server.address}, namespace ${temporal.server.namespace}`);
    if (temporalUi && temporal.ui !== undefined) {
      const guarded = await guardTemporalUi(temporal.ui);
      held.releases.add(() => guarded.stop());
      terminal.say(`web UI    ${guarded.url}`);
    }
    terminal.say(`lake      ${preflight.config.lake.address}`);
    const board = await openUi(terminal, preflight.config.lake.address, { host: "127.0.0.1", port: 0 });
    held.releases.add(() => board.stop());
    terminal.say(`board     ${board.url}`);
    await ensureUpkeep(terminal, temporal.client, session.preflight);
    if (metrics) held.releases.add(watchOpenRows(temporal.client, preflight.scope, metrics));
    if (receives) await openReceiver(terminal, session, { ...webhooks, ...place, metrics }, held.releases);
    terminal.say(
      "Jobs in this directory use this server. Ctrl-C ends it; another command that uses it starts it again.",
    );
    await Promise.race([aborted(signal), temporal.lost]);
  });
}

type LoggedFields = Readonly<Record<string, unknown>>;

/** The line of the worker's log that says that a run began, ended or did not begin; none for others. */
export function runLine({ msg, run_id, kind, status, message, duration_ms }: LoggedFields): string[] {
  if (typeof run_id !== "string" || typeof kind !== "string") return [];
  if (msg === "run begins") return [`run ${run_id} begins`];
  if (typeof status !== "string") return [];
  const took = durationWords(Number(duration_ms));
  return [`run ${run_id} ended: ${status} in ${took}${typeof message === "string" ? `: ${message}` : ""}`];
}
