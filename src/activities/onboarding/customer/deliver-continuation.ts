import { spawn } from "node:child_process";
import { once } from "node:events";
import { activityInfo, cancellationSignal } from "@temporalio/activity";
import type { CustomerStepInput, LinkOffer } from "../../../domain/onboarding/customer/customer-step.js";
import {
  appendContinuation,
  type ContinuationSink,
  type Delivery,
  getSink,
} from "../../../lake/onboarding/continuation-file.js";
import { withHeartbeat } from "../../heartbeat.js";
import type { OnboardingDependencies } from "../dependencies.js";
import { type Continuation, linkKey } from "./continuations.js";

interface DeliverLinkInput extends CustomerStepInput {
  readonly link: LinkOffer;
}

/** Attempts before somebody has to send a link from the dashboard: about half a minute of them. */
const MOST_ATTEMPTS = 5;

/** Hands a link to the batch's sink, at least once; whether it was taken. */
export async function deliverLink(
  deps: OnboardingDependencies,
  input: DeliverLinkInput,
): Promise<{ delivered: boolean }> {
  return withHeartbeat(async () => {
    const sink = await getSink(deps.sealed, input.batchId);
    if (sink === undefined) return { delivered: false };
    const delivery = await deliveryOf(deps, input);
    try {
      await hand(deps, sink, delivery);
      return { delivered: true };
    } catch (error) {
      cancellationSignal().throwIfAborted();
      if (activityInfo().attempt < MOST_ATTEMPTS) throw error;
      deps.log.warn({ line: input.line, err: error }, "a link was not taken; send it from the dashboard");
      return { delivered: false };
    }
  });
}

async function hand(deps: OnboardingDependencies, sink: ContinuationSink, delivery: Delivery): Promise<void> {
  if (sink.kind === "file") await appendContinuation(sink.path, delivery, deps.sealed.sealer);
  else await handToCommand(sink.command, delivery, cancellationSignal());
}

async function deliveryOf(deps: OnboardingDependencies, input: DeliverLinkInput): Promise<Delivery> {
  const { batchId, row, line, attempt, state, link } = input;
  const { customer } = await deps.batches.row(batchId, row);
  const continuation = await deps.sealed.require<Continuation>(linkKey(input, link.number));
  return {
    delivery_id: `${batchId}-${line}-${attempt}-${link.number}`,
    batch_id: batchId,
    line,
    fp_id: customer.fpId,
    external_id: customer.externalId,
    onboarding_id: state.onboardingId,
    link: continuation.link,
    token: continuation.token,
    expires_at: continuation.expires_at,
  };
}

const LONGEST_MS = 60_000;

/** Thrown when the command that takes links ended with something other than 0, or not in time. */
export class ContinuationCommandError extends Error {
  override readonly name = "ContinuationCommandError";
}

/** All of the worker's environment that the command sees: none of it is a secret (docs/onboarding.md). */
const PASSED_ON = [
  ...["PATH", "HOME", "LANG", "TZ"],
  ...["NIGHTLEDGER_API_URL", "NIGHTLEDGER_HOME", "NIGHTLEDGER_LAKE", "NIGHTLEDGER_LOG_LEVEL"],
  ...["NIGHTLEDGER_WEBHOOK_MODE"],
];

/**
 * Runs a shell command with one JSON line on its standard input, in a process group of its own, all of which is
 * ended with it when it takes too long. What it prints is thrown away: it could quote the secrets that it was given.
 *
 * @throws ContinuationCommandError when it does not end with 0 in time; the signal's reason when aborted.
 */
export async function handToCommand(
  command: string,
  delivery: Delivery,
  signal: AbortSignal,
  longestMs = LONGEST_MS,
): Promise<void> {
  signal.throwIfAborted();
  const child = spawn(command, {
    shell: true,
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
    env: Object.fromEntries(PASSED_ON.map((name) => [name, process.env[name]])),
  });
  const exited = once(child, "exit") as Promise<[number | null, NodeJS.Signals | null]>;
  const end = () => endGroup(child.pid);
  const timer = setTimeout(end, longestMs);
  signal.addEventListener("abort", end, { once: true });
  try {
    // A command that never reads closes its end before the line is written: its exit code tells.
    child.stdin.on("error", () => undefined);
    child.stdin.end(`${JSON.stringify(delivery)}\n`);
    const [code, killedBy] = await exited;
    signal.throwIfAborted();
    if (code === 0) return;
    throw new ContinuationCommandError(
      `the command for links ended with ${code ?? killedBy}; the link was not counted as taken and is handed to it again`,
    );
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", end);
  }
}

function endGroup(leader: number | undefined): void {
  if (leader === undefined) return;
  try {
    process.kill(-leader, "SIGKILL");
  } catch {
    // Nobody is left in the group.
  }
}
