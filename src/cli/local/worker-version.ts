import { setTimeout as sleep } from "node:timers/promises";
import { InputError } from "../../domain/failures.js";
import type { Deployment } from "../../temporal/deployment.js";
import { counted } from "../terminal/counted.js";
import type { Terminal } from "../terminal/terminal.js";

type Say = Pick<Terminal, "say">;

const LOOK_EVERY_MS = 5_000;

/** `worker --current`: new work goes to this version from now on. */
export async function makeCurrent({ say }: Say, deployment: Deployment): Promise<void> {
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
export async function takePart({ say }: Say, deployment: Deployment, signal: AbortSignal): Promise<void> {
  const standing = await deployment.enter(signal);
  if (standing === "current") {
    say(`${deployment.words} is the current version`);
    const others = await deployment.pinned("others");
    if (others > 0)
      say(
        `${counted(others, "run")} of other versions continue with workers of their builds only: nightledger worker --drain`,
      );
  } else if (standing !== undefined)
    say(
      `${deployment.words} was followed by another version, so this worker continues only what is pinned to it. To go back to it: nightledger worker --current`,
    );
}

/** Waits until nothing is pinned to a version, and says what it waits for; false where it was interrupted. */
export async function drained({ say }: Say, deployment: Deployment, signal: AbortSignal): Promise<boolean> {
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
