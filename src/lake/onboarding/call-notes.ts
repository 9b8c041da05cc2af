import { hash } from "node:crypto";
import { mapConcurrent } from "../../domain/concurrent-work.js";
import type { OutcomeName } from "../../domain/onboarding/outcome.js";
import type { SealedStore } from "../store/sealed-store.js";

const READ_AT_ONCE = 8;
const PREFIX = "_staging/onboarding-calls/";

/** Where the calls of a row are kept, in whatever batch it is. */
export const callsPrefix = (rowKey: string) => `${PREFIX}${rowKey}/`;

const named = (text: string) => hash("sha256", text).slice(0, 32);

/**
 * An onboarding that was asked for without an `fp_id` in the row, and of which no answer is kept yet. A row that names
 * its customer by `fp_id` may be about the same customer, and nothing else in the lake says so.
 */
export interface UnnamedPost {
  /** Staging prefix of its call. */
  readonly prefix: string;
  readonly batchId: string;
  readonly outcome: OutcomeName;
  /** Milliseconds after its last request from which the service can be trusted that it had no effect. */
  readonly settlesAfterMs: number;
}

/** A row that posts on a playbook. */
interface PostingRow {
  /** Without its version. */
  readonly playbookKey: string;
  readonly batchId: string;
  readonly rowKey: string;
}

const unnamedPrefix = (playbookKey: string) => `${PREFIX}unnamed/${named(playbookKey)}/`;

/** The note that one is about to be asked for. */
export function unnamedPost(sealed: SealedStore, { playbookKey, batchId, rowKey }: PostingRow) {
  return sealed.kept<UnnamedPost>(`${unnamedPrefix(playbookKey)}${batchId}/${rowKey}`);
}

/** The notes of other batches on a playbook: the rows of one batch are different customers. */
export async function unnamedPosts(
  sealed: SealedStore,
  { playbookKey, batchId }: Omit<PostingRow, "rowKey">,
): Promise<UnnamedPost[]> {
  const prefix = unnamedPrefix(playbookKey);
  const entries = await sealed.list(prefix);
  const others = entries.filter(({ key }) => !key.startsWith(`${prefix}${batchId}/`));
  const posts = await mapConcurrent(READ_AT_ONCE, others, ({ key }) => sealed.get<UnnamedPost>(key));
  return posts.filter((post) => post !== undefined);
}

/** The row that an onboarding was posted for; it names its customer by one of the two ids. */
export interface OnboardingTaker extends PostingRow {
  readonly fp_id?: string | undefined;
  readonly external_id?: string | undefined;
}

/** The note whose an onboarding is. */
export function takenOnboarding(sealed: SealedStore, id: string) {
  return sealed.kept<OnboardingTaker>(`${PREFIX}taken/${named(id)}`);
}

/**
 * Notes, durably, whose onboarding it is, before the row takes its answer. Of several customers the first has it.
 *
 * @returns the other customer, or the same one on another playbook, who has it already
 */
export async function takeOnboarding(
  sealed: SealedStore,
  id: string,
  taker: OnboardingTaker,
): Promise<OnboardingTaker | undefined> {
  const holder = await takenOnboarding(sealed, id).keep(taker);
  return isSame(holder, taker) ? undefined : holder;
}

/** Whether two rows may be about the same customer; one batch has each customer once. */
function isSame(one: OnboardingTaker, other: OnboardingTaker): boolean {
  if (one.playbookKey !== other.playbookKey) return false;
  if (one.batchId === other.batchId) return one.rowKey === other.rowKey;
  return [
    [one.fp_id, other.fp_id],
    [one.external_id, other.external_id],
  ].every(([own, its]) => own === undefined || its === undefined || own === its);
}

/**
 * The hash of whom a row is about whose business was made from its first data alone and has that id: the service names it
 * by its new id.
 */
export function madeBusiness(sealed: SealedStore, fpBid: string) {
  return sealed.kept<string>(`${PREFIX}made/${named(fpBid)}`);
}
