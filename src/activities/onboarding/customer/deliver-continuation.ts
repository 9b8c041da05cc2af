import { cancellationSignal } from "@temporalio/activity";
import { type RetryPolicy, triesOf } from "../../../domain/backoff.js";
import { SECOND } from "../../../domain/duration.js";
import type { LinkOffer } from "../../../domain/onboarding/customer/continuation-offer.js";
import { ROW_RETRY } from "../../../domain/onboarding/customer/open-customer.js";
import { appendContinuation, keptLinksFile } from "../../../lake/onboarding/continuation-file.js";
import { keptLink } from "./apply-answer.js";
import type { RowInWork } from "./row-in-work.js";

const RETRY: RetryPolicy = { ...ROW_RETRY, until: 15 * SECOND };

/** Writes a continuation into the batch's file, at least once; false where it could not be written. */
export async function deliverLink({ deps, one }: RowInWork, { number }: LinkOffer): Promise<boolean> {
  const { batches, sealed, log } = deps;
  const { batchId, row, line, attempt } = one.input;
  const path = await keptLinksFile(sealed, batchId).find();
  if (path === undefined) return false;
  const { customer } = await batches.row(batchId, row);
  const { link, token, expires_at } = await keptLink(sealed, one.input, number).require();
  const delivery = {
    delivery_id: `${batchId}-${line}-${attempt}-${number}`,
    batch_id: batchId,
    line,
    fp_id: customer.fpId,
    external_id: customer.externalId,
    onboarding_id: one.state.onboardingId,
    link,
    token,
    expires_at,
  };
  try {
    await appendContinuation(path, delivery, sealed.sealer);
    return true;
  } catch (error) {
    cancellationSignal().throwIfAborted();
    if (one.tries.times + 1 < triesOf(RETRY)) throw error;
    log.warn({ line, err: error }, "could not deliver a link; send it from the dashboard");
    return false;
  }
}
