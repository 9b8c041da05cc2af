import { cancellationSignal } from "@temporalio/activity";
import type { Onboarding } from "../../../api/schemas/onboarding.js";
import { type RetryPolicy, triesOf } from "../../../domain/backoff.js";
import { SECOND } from "../../../domain/duration.js";
import type { CustomerInput } from "../../../domain/onboarding/batch/batch-state.js";
import {
  type Continuation,
  decideOffer,
  type LinkOffer,
} from "../../../domain/onboarding/customer/continuation-offer.js";
import {
  type CustomerState,
  needsCustomer,
  type OnboardingReport,
  withoutLink,
} from "../../../domain/onboarding/customer/customer-state.js";
import type { OutcomeFacts } from "../../../domain/onboarding/customer/new-outcome.js";
import { ROW_RETRY } from "../../../domain/onboarding/customer/open-customer.js";
import { saidIn } from "../../../domain/onboarding/verdict.js";
import { instantMs } from "../../../domain/service/instant.js";
import { appendContinuation, keptLinksFile } from "../../../lake/onboarding/continuation-file.js";
import { batchPrefix } from "../../../lake/onboarding/frozen-batch.js";
import type { SealedStore } from "../../../lake/store/sealed-store.js";
import type { RowInWork } from "./row-in-work.js";

/** What the service answers about an onboarding, whatever the request was. */
type Answer = Pick<Onboarding, "id" | "output" | "error_message" | "continue_onboarding"> &
  Parameters<typeof saidIn>[0];

export function reportOf(answer: Answer): OnboardingReport {
  return {
    ...saidIn(answer),
    onboardingId: answer.id ?? null,
    hasOutput: answer.output != null,
  };
}

/** Changes a row into the state that an answer has led to, and keeps the answer's continuation for its delivery. */
export async function applyAnswer(
  row: RowInWork,
  next: CustomerState,
  answer: Answer | null,
  facts: OutcomeFacts,
): Promise<void> {
  const link = needsCustomer(next) ? await offer(row, next, answer?.continue_onboarding ?? {}) : undefined;
  // Its delivery counts it.
  const linked = link && { ...next, links: link.number - 1 };
  const unlinked = needsCustomer(next) && next.links === 0 ? withoutLink(next) : next;
  await row.change(linked ?? unlinked, null, { answer, ...facts });
  if (link) row.set({ link });
}

/** Keeps a new continuation; undefined where the answer has none, or the batch has no file for them. */
async function offer(
  { deps: { sealed }, one: { input } }: RowInWork,
  { links: delivered }: CustomerState,
  { token, link, expires_at }: { readonly [F in keyof Continuation]?: string | undefined },
): Promise<LinkOffer | undefined> {
  const isWhole = token !== undefined && link !== undefined && expires_at !== undefined;
  if (!isWhole || !(await keptLinksFile(sealed, input.batchId).has())) return undefined;
  const continuation = { token, link, expires_at };
  let kept = delivered;
  while (await keptLink(sealed, input, kept + 1).has()) kept++;
  const last = kept === 0 ? undefined : await keptLink(sealed, input, kept).find();
  const decision = decideOffer(continuation, { delivered, kept, last });
  if (decision === "none") return undefined;
  const number = decision === "last" ? kept : kept + 1;
  if (decision === "next") await keptLink(sealed, input, number).put(continuation);
  const expiresAt = instantMs(expires_at);
  return { number, expiresAt: Number.isNaN(expiresAt) ? null : expiresAt };
}

export function keptLink(
  sealed: SealedStore,
  { batchId, line, attempt }: Pick<CustomerInput, "batchId" | "line" | "attempt">,
  number: number,
) {
  return sealed.kept<Continuation>(`${batchPrefix(batchId)}continuations/${line}-${attempt}-${number}`);
}

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
