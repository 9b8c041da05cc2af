import { cancellationSignal } from "@temporalio/activity";
import type { Continuation } from "../../../domain/onboarding/customer/continuation-offer.js";
import type { CustomerStepInput, LinkOffer } from "../../../domain/onboarding/customer/customer-step.js";
import { appendContinuation, type Delivery, getSink } from "../../../lake/onboarding/continuation-file.js";
import { commandEnd } from "../../command-end.js";
import type { OnboardingDependencies } from "../dependencies.js";
import { linkKey } from "./continuations.js";

type DeliverLinkInput = CustomerStepInput & { readonly link: LinkOffer };

/** Tries, in about half a minute, before somebody has to send the link from the dashboard. */
const MOST_TRIES = 5;

/** Delivers a continuation to the batch's sink, at least once; false where it could not be delivered. */
export async function deliverLink(
  deps: OnboardingDependencies,
  input: DeliverLinkInput,
): Promise<{ delivered: boolean }> {
  const sink = await getSink(deps.sealed, input.batchId);
  if (sink === undefined) return { delivered: false };
  const delivery = await deliveryOf(deps, input);
  try {
    if (sink.kind === "file") await appendContinuation(sink.path, delivery, deps.sealed.sealer);
    else await deliverToCommand(sink.command, delivery, cancellationSignal());
    return { delivered: true };
  } catch (error) {
    cancellationSignal().throwIfAborted();
    if (input.tries.times + 1 < MOST_TRIES) throw error;
    deps.log.warn({ line: input.line, err: error }, "could not deliver a link; send it from the dashboard");
    return { delivered: false };
  }
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

/** Thrown when the continuation command did not end with 0 in time. */
export class ContinuationCommandError extends Error {
  override readonly name = "ContinuationCommandError";
}

/**
 * Delivers a continuation to a command.
 *
 * @throws ContinuationCommandError when it does not end with 0 in time; the signal's reason when aborted.
 */
export async function deliverToCommand(
  command: string,
  delivery: Delivery,
  signal: AbortSignal,
  longestMs?: number,
): Promise<void> {
  const end = await commandEnd(command, delivery, signal, longestMs);
  if (end === 0) return;
  throw new ContinuationCommandError(
    `the continuation command ended with ${end}; the link counts as not delivered and will be delivered again`,
  );
}
