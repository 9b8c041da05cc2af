import { readConfig } from "../../config.js";
import { checkPlace, type ReceiverPlace } from "../../receiver/listen.js";
import { inspectSurroundings, openJobTemporal, readJobConfig } from "../session/preflight.js";
import { aborted, interruption } from "../terminal/interruption.js";
import { Releases } from "../terminal/releases.js";
import type { Terminal } from "../terminal/terminal.js";
import { openReceiver } from "./serve.js";

/** Receives webhooks until it is stopped; in embedded mode with a server and a worker. */
export async function serveWebhooks(terminal: Terminal, place: ReceiverPlace): Promise<void> {
  const configuration = readJobConfig(terminal);
  const { webhooks } = readConfig({ env: terminal.env, cwd: terminal.cwd }, ["webhooks"]);
  const surroundings = await inspectSurroundings(terminal, configuration);
  await checkPlace(place);
  const releases = new Releases();
  try {
    const { signal } = interruption(releases);
    const opened = await openJobTemporal(surroundings, terminal, releases, { signal });
    await openReceiver(terminal, { surroundings, webhooks, ...opened }, place, releases);
    terminal.say("Events are in the table webhook_events seconds after they came. Ctrl-C ends it.");
    await Promise.race([aborted(signal), opened.temporal.lost]);
  } finally {
    await releases.run();
  }
}
