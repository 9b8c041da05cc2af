import { InputError } from "../domain/input-error.js";
import { aborted, interruption } from "./interruption.js";
import { inspectSurroundings, openJobTemporal } from "./job-surroundings.js";
import { Releases } from "./releases.js";
import type { Terminal } from "./terminal.js";

/** Keeps the embedded server and a worker running until it is stopped. */
export async function runDev(terminal: Terminal): Promise<void> {
  const surroundings = await inspectSurroundings(terminal);
  if (surroundings.settings.mode === "cluster") {
    throw new InputError(
      "TEMPORAL_ADDRESS: set, so there is a cluster. Use `nightledger worker`, or unset it for the embedded server.",
    );
  }
  const releases = new Releases();
  try {
    const { signal } = interruption(releases);
    const { temporal } = await openJobTemporal(surroundings, terminal, releases, { ui: true, signal });
    terminal.say(`Temporal  ${temporal.server.address}, namespace ${temporal.server.namespace}`);
    if (temporal.ui !== undefined) terminal.say(`web UI    ${temporal.ui}`);
    terminal.say(`lake      ${surroundings.config.lake.address}`);
    terminal.say("Jobs of this directory use this server while it runs. Ctrl-C ends it.");
    await Promise.race([aborted(signal), temporal.lost]);
  } finally {
    await releases.run();
  }
}
