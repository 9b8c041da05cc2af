import { mkdir } from "node:fs/promises";
import { readConfig } from "../../config.js";
import { InputError } from "../../domain/failures.js";
import { checkPlace } from "../../receiver/listen.js";
import { ensureEmbeddedKeys } from "../../temporal/encryption/keys.js";
import { openJobSession } from "../session/job-session.js";
import { runPreflight } from "../session/preflight.js";
import { aborted, withInterruption } from "../terminal/interruption.js";
import type { Terminal } from "../terminal/terminal.js";
import { checkWebhookMode, openReceiver } from "../webhooks/serve.js";
import { startDevCodec } from "./codec.js";

/** Runs the embedded server and a worker until it is stopped; also a receiver, where webhook secrets are set. */
export async function runDev(terminal: Terminal, webhooksPort: number): Promise<void> {
  const preflight = await runPreflight(terminal);
  if (preflight.settings.mode === "cluster") {
    throw new InputError(
      "TEMPORAL_ADDRESS is set, so jobs use that cluster. Run `nightledger worker`, or unset it to use the embedded server.",
    );
  }
  const { webhooksIfAny: webhooks } = readConfig(terminal, ["webhooksIfAny"]);
  const receives = webhooks.secrets.length > 0;
  const place = { host: "127.0.0.1", port: webhooksPort };
  if (receives) {
    checkWebhookMode(webhooks, preflight);
    await checkPlace(place);
  }
  await withInterruption(async (held) => {
    await mkdir(preflight.config.home.path, { recursive: true, mode: 0o700 });
    const keys = preflight.keys ?? (await ensureEmbeddedKeys(preflight.config.home.path));
    let ui: string | undefined;
    const codec = await startDevCodec(keys, () => ui);
    held.releases.add(() => codec.stop());
    const opened = { ui: { codec: codec.endpoint } };
    const session = await openJobSession(terminal, { ...preflight, keys }, held, opened);
    const { temporal, signal } = session;
    ui = temporal.ui;
    terminal.say(`Temporal  ${temporal.server.address}, namespace ${temporal.server.namespace}`);
    if (temporal.ui !== undefined) terminal.say(`web UI    ${temporal.ui}`);
    terminal.say(`lake      ${preflight.config.lake.address}`);
    if (receives) await openReceiver(terminal, session, { ...webhooks, ...place }, held.releases);
    terminal.say("Jobs in this directory use this server while it runs. Ctrl-C ends it.");
    await Promise.race([aborted(signal), temporal.lost]);
  });
}
