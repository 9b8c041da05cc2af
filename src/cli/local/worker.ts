import { InputError } from "../../domain/failures.js";
import { connectClient } from "../../temporal/connection.js";
import { startWorker } from "../../worker.js";
import { bindLake, openLog } from "../session/job-session.js";
import { runPreflight } from "../session/preflight.js";
import { workerSettings } from "../session/temporal-session.js";
import { aborted, withInterruption } from "../terminal/interruption.js";
import type { Terminal } from "../terminal/terminal.js";

export async function runWorker(terminal: Terminal): Promise<void> {
  const preflight = await runPreflight(terminal);
  const { settings, keys, taskQueue } = preflight;
  if (settings.mode === "embedded" || keys === undefined) {
    throw new InputError(
      "TEMPORAL_ADDRESS is not set, and `nightledger worker` needs a Temporal cluster. Without one, use `nightledger dev`, which runs a server and a worker.",
    );
  }
  await withInterruption(async ({ signal, releases }) => {
    const log = openLog(preflight, releases);
    // The client is asked first: it says what is wrong with an address in better words.
    await (await connectClient(settings, keys)).close();
    await bindLake(preflight, keys);
    const own = workerSettings(preflight, keys, log);
    const worker = await startWorker({ ...own, server: settings, embedded: false });
    releases.add(() => worker.stop());
    terminal.say(
      `working on task queue ${taskQueue} of ${settings.address}, namespace ${settings.namespace}`,
    );
    await Promise.race([aborted(signal), worker.done]);
  });
}
