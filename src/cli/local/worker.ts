import { InputError } from "../../domain/failures.js";
import { createLogger } from "../../logger.js";
import { connectClient } from "../../temporal/connection.js";
import { ensureCanary } from "../../temporal/encryption/key-check.js";
import { startWorker } from "../../worker.js";
import { inspectSurroundings } from "../session/preflight.js";
import { aborted, interruption } from "../terminal/interruption.js";
import { Releases } from "../terminal/releases.js";
import type { Terminal } from "../terminal/terminal.js";

/** Works on a cluster's runs until it is stopped. */
export async function runWorker(terminal: Terminal): Promise<void> {
  const surroundings = await inspectSurroundings(terminal);
  const { config, settings, keys, store, taskQueue } = surroundings;
  if (settings.mode === "embedded" || keys === undefined) {
    throw new InputError(
      "TEMPORAL_ADDRESS: not set. A worker of its own needs a Temporal cluster; without one, `nightledger dev` brings up server and worker.",
    );
  }
  const releases = new Releases();
  try {
    const { signal } = interruption(releases);
    const handle = createLogger({
      destination: "stderr",
      level: config.log.level,
      secrets: config.secrets,
    });
    releases.add(() => handle.close());
    // The client is asked first: it says what is wrong with an address in better words.
    await (await connectClient(settings, keys)).close();
    await ensureCanary(store, keys);
    const { api, lake } = config;
    const worker = await startWorker({
      api,
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
  } finally {
    await releases.run();
  }
}
