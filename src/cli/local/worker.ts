import { setTimeout as sleep } from "node:timers/promises";
import { readConfig } from "../../config.js";
import { InputError } from "../../domain/failures.js";
import { counted } from "../../domain/words/counted.js";
import { connectClient } from "../../temporal/connection.js";
import { Deployment } from "../../temporal/deployment.js";
import { watchOpenRows } from "../../temporal/onboarding/open-rows.js";
import { startWorker, versionIn } from "../../worker.js";
import { ensureUpkeep } from "../schedules/upkeep.js";
import { bindLake, openLog } from "../session/job-session.js";
import { exportMetrics } from "../session/metrics.js";
import { runPreflight } from "../session/preflight.js";
import { workerSettings } from "../session/temporal-session.js";
import { EXIT } from "../terminal/exit-code.js";
import { aborted, withInterruption } from "../terminal/interruption.js";
import type { Terminal } from "../terminal/terminal.js";

interface WorkerFlags {
  readonly drain?: boolean;
  readonly current?: boolean;
}

/** Works until it is stopped or its version is drained; returns the exit code. */
export async function runWorker(terminal: Terminal, { drain, current }: WorkerFlags): Promise<number> {
  const preflight = await runPreflight(terminal);
  const { settings, keys, taskQueue, scope } = preflight;
  if (settings.mode === "embedded" || keys === undefined) {
    throw new InputError(
      "TEMPORAL_ADDRESS is not set, and `nightledger worker` needs a Temporal cluster. Without one, use `nightledger dev`, which runs a server and a worker.",
    );
  }
  const { name } = readConfig(terminal, ["deployment"]).deployment;
  if (name === undefined && (drain || current)) {
    throw new InputError(
      `NIGHTLEDGER_DEPLOYMENT is not set, so this build's workers have no version for --${drain ? "drain" : "current"}. Nothing was started. Give it the name that those workers have.`,
    );
  }
  // Beside a worker that has the port already, these two begin.
  const metrics = current || drain ? undefined : await exportMetrics(terminal);
  return withInterruption(async ({ signal, releases }) => {
    const log = openLog(preflight, releases);
    // The client is asked first: it says what is wrong with an address in better words.
    const { client, close } = await connectClient(settings, keys);
    releases.add(close);
    if (metrics) releases.add(watchOpenRows(client, scope, metrics));
    // Temporal makes a version current on all its task queues at once, so each queue has its own deployment.
    const version = name === undefined ? undefined : await versionIn(`${name}-${scope}`);
    const deployment = version && new Deployment(client, version);
    if (deployment && current) {
      await makeCurrent(terminal, deployment);
      return EXIT.completed;
    }
    const standing = await deployment?.standing();
    if (drain && standing !== "current" && standing !== "replaced") {
      terminal.say(`nothing is pinned to ${deployment?.words}`);
      return EXIT.completed;
    }
    const service = await bindLake(preflight, keys);
    const own = workerSettings(preflight, keys, log);
    const worker = await startWorker({ ...own, server: settings, embedded: false, version });
    releases.add(() => {
      if (signal.aborted) terminal.say("takes no more work, and ends what it has begun");
      return worker.stop();
    });
    terminal.say(
      `working on task queue ${taskQueue} of ${settings.address}, namespace ${settings.namespace}`,
    );
    if (!drain) await ensureUpkeep(terminal, client, { ...preflight, service });
    const stopped = Promise.race([aborted(signal), worker.done]);
    if (deployment && drain) {
      const isDrained = await Promise.race([stopped, drained(terminal, deployment, signal)]);
      return isDrained ? EXIT.completed : EXIT.failures;
    }
    if (deployment) await Promise.race([stopped, takePart(terminal, deployment, signal)]);
    await stopped;
    return EXIT.completed;
  });
}

type Say = Pick<Terminal, "say">;

const LOOK_EVERY_MS = 5_000;

/** `worker --current`: new work goes to this version from now on. */
async function makeCurrent({ say }: Say, deployment: Deployment): Promise<void> {
  if ((await deployment.standing()) === "unknown") {
    throw new InputError(
      `${deployment.words} has had no worker, and would leave everything without one. Nothing was changed. Start a worker of this build first, and give this command while it runs.`,
    );
  }
  const before = await deployment.makeCurrent();
  const was = before === undefined ? "" : `; it was ${before}`;
  say(`${deployment.words} is the current version${was}`);
}

/** Says how the version of a worker that begins stands, which a new one changes. */
async function takePart({ say }: Say, deployment: Deployment, signal: AbortSignal): Promise<void> {
  const standing = await deployment.enter(signal);
  if (standing === "current") {
    say(`${deployment.words} is the current version`);
    const others = await deployment.pinned("others");
    if (others > 0)
      say(
        `workers of other builds are still needed, for ${counted(others, "run")}: nightledger worker --drain`,
      );
  } else if (standing !== undefined)
    say(
      `${deployment.words} was followed by another version, so this worker continues only what is pinned to it. To go back to it: nightledger worker --current`,
    );
}

/** Waits until nothing is pinned to a version, and says what it waits for; false where it was interrupted. */
async function drained({ say }: Say, deployment: Deployment, signal: AbortSignal): Promise<boolean> {
  let said = "";
  while (!signal.aborted) {
    const standing = await deployment.standing();
    if (standing === "drained") {
      say(`nothing is pinned to ${deployment.words} any more`);
      return true;
    }
    const waits = standing === "current" ? "another version to follow" : await openWords(deployment);
    if (waits !== said) say(`${deployment.words} waits for ${waits}`);
    said = waits;
    await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
  return false;
}

async function openWords(deployment: Deployment): Promise<string> {
  const open = await deployment.pinned("this");
  if (open === 0) return "Temporal to confirm that nothing is pinned to it, which takes it some minutes";
  return `${counted(open, "run")} pinned to it to end`;
}
