import type { Onboarding } from "../../../api/schemas/onboarding.js";
import type { CustomerInput } from "../../../domain/onboarding/batch/batch-rows.js";
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
import { saidIn } from "../../../domain/onboarding/verdict.js";
import { instantMs } from "../../../domain/service/instant.js";
import { keptLinksFile } from "../../../lake/onboarding/continuation-file.js";
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
  const found = { token, link, expires_at };
  let kept = delivered;
  while (await keptLink(sealed, input, kept + 1).has()) kept++;
  const last = kept === 0 ? undefined : await keptLink(sealed, input, kept).find();
  const decision = decideOffer(found, { delivered, kept, last });
  if (decision === "none") return undefined;
  const number = decision === "last" ? kept : kept + 1;
  if (decision === "next") await keptLink(sealed, input, number).put(found);
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
