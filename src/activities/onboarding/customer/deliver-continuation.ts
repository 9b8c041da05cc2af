import { activityInfo, cancellationSignal } from "@temporalio/activity";
import type { CustomerStepInput, LinkOffer } from "../../../domain/onboarding/customer/customer-step.js";
import {
  appendContinuation,
  type ContinuationSink,
  type Delivery,
  getSink,
} from "../../../lake/onboarding/continuation-file.js";
import { commandEnd } from "../../command-end.js";
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

/** Thrown when the command that takes links ended with something other than 0, or not in time. */
export class ContinuationCommandError extends Error {
  override readonly name = "ContinuationCommandError";
}

/**
 * Hands a link to a command.
 *
 * @throws ContinuationCommandError when it does not end with 0 in time; the signal's reason when aborted.
 */
export async function handToCommand(
  command: string,
  delivery: Delivery,
  signal: AbortSignal,
  longestMs?: number,
): Promise<void> {
  const end = await commandEnd(command, delivery, signal, longestMs);
  if (end === 0) return;
  throw new ContinuationCommandError(
    `the command for links ended with ${end}; the link was not counted as taken and is handed to it again`,
  );
}
