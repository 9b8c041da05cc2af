import { InputError } from "../../domain/failures.js";
import { connectClient } from "../../temporal/connection.js";
import { watchOpenRows } from "../../temporal/onboarding/open-rows.js";
import { startWorker } from "../../worker.js";
import { ensureUpkeep } from "../schedules/upkeep.js";
import { bindLake, openLog } from "../session/job-session.js";
import { exportMetrics } from "../session/metrics.js";
import { runPreflight } from "../session/preflight.js";
import { workerSettings } from "../session/temporal-session.js";
import { EXIT } from "../terminal/exit-code.js";
import { aborted, withInterruption } from "../terminal/interruption.js";
import type { Terminal } from "../terminal/terminal.js";

/** Works until it is stopped; the exit code. */
export async function runWorker(terminal: Terminal): Promise<number> {
  const preflight = await runPreflight(terminal);
  const { settings, keys, taskQueue, scope } = preflight;
  if (settings.mode === "embedded" || keys === undefined) {
    throw new InputError(
      "TEMPORAL_ADDRESS is not set, and `nightledger worker` needs a Temporal cluster. Without one, use `nightledger dev`, which runs a server and a worker.",
    );
  }
  const { version } = settings;
  const metrics = await exportMetrics(terminal);
  return withInterruption(async ({ signal, releases }) => {
    const log = openLog(preflight, releases);
    // Before the worker: the client's errors about an address are clearer.
    const { client, close } = await connectClient(settings, keys);
    releases.add(close);
    if (metrics) releases.add(watchOpenRows(client, scope, metrics));
    const service = await bindLake(preflight, keys);
    const own = workerSettings(preflight, keys, log);
    const worker = await startWorker({ ...own, server: settings, embedded: false, version });
    releases.add(() => {
      if (signal.aborted) terminal.say("takes no more work, and ends what it has begun");
      return worker.stop();
    });
    const as = version === undefined ? "" : `, as version ${version.buildId} of ${version.deploymentName}`;
    terminal.say(
      `working on task queue ${taskQueue} of ${settings.address}, namespace ${settings.namespace}${as}`,
    );
    await ensureUpkeep(terminal, client, { ...preflight, service });
    await Promise.race([aborted(signal), worker.done]);
    return EXIT.completed;
  });
}
