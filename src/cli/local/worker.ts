import { InputError } from "../../domain/failures.js";
import { createLogger } from "../../logger.js";
import { connectClient } from "../../temporal/connection.js";
import { startWorker } from "../../worker.js";
import { bindLake } from "../session/job-session.js";
import { runPreflight } from "../session/preflight.js";
import { aborted, withInterruption } from "../terminal/interruption.js";
import type { Terminal } from "../terminal/terminal.js";

/** Works on a cluster's runs until it is stopped. */
export async function runWorker(terminal: Terminal): Promise<void> {
  const preflight = await runPreflight(terminal);
  const { config, settings, keys, taskQueue } = preflight;
  if (settings.mode === "embedded" || keys === undefined) {
    throw new InputError(
      "TEMPORAL_ADDRESS is not set, and `nightledger worker` needs a Temporal cluster. Without one, use `nightledger dev`, which runs a server and a worker.",
    );
  }
  await withInterruption(async ({ signal, releases }) => {
    const handle = createLogger({
      destination: "stderr",
      level: config.log.level,
      secrets: config.secrets,
    });
    releases.add(() => handle.close());
    // Connects a client first, because it says more clearly what is wrong with an address.
    await (await connectClient(settings, keys)).close();
    await bindLake(preflight, keys);
    const { api, alerts, lake } = config;
    const worker = await startWorker({
      api,
      alerts,
      lake: lake.address,
      server: settings,
      keys,
      taskQueue,
      log: handle.logger,
      embedded: false,
    });
    releases.add(() => worker.stop());
    terminal.say(
      `working on task queue ${taskQueue} of ${settings.address}, namespace ${settings.namespace}`,
    );
    await Promise.race([aborted(signal), worker.done]);
  });
}
