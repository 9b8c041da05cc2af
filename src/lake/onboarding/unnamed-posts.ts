import { hash } from "node:crypto";
import { mapConcurrent } from "../../domain/concurrent-work.js";
import type { OutcomeName } from "../../domain/onboarding/outcome.js";
import type { SealedStore } from "../store/sealed-store.js";

const READ_AT_ONCE = 8;

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

interface UnnamedPostPlace {
  /** Without its version. */
  readonly playbookKey: string;
  readonly batchId: string;
  readonly rowKey: string;
}

/** Notes, durably, that one is about to be asked for. */
export async function noteUnnamedPost(
  sealed: SealedStore,
  place: UnnamedPostPlace,
  post: UnnamedPost,
): Promise<void> {
  await sealed.put(keyOf(place), post, { durable: true });
}

export async function dropUnnamedPost(sealed: SealedStore, place: UnnamedPostPlace): Promise<void> {
  await sealed.delete(keyOf(place));
}

/** The notes of other batches on a playbook: the rows of one batch are different customers. */
export async function unnamedPosts(
  sealed: SealedStore,
  { playbookKey, batchId }: Pick<UnnamedPostPlace, "playbookKey" | "batchId">,
): Promise<UnnamedPost[]> {
  const prefix = prefixOf(playbookKey);
  const entries = await sealed.list(prefix);
  const others = entries.filter(({ key }) => !key.startsWith(`${prefix}${batchId}/`));
  const posts = await mapConcurrent(READ_AT_ONCE, others, ({ key }) => sealed.get<UnnamedPost>(key));
  return posts.filter((post) => post !== undefined);
}

function keyOf({ playbookKey, batchId, rowKey }: UnnamedPostPlace): string {
  return `${prefixOf(playbookKey)}${batchId}/${rowKey}`;
}

function prefixOf(playbookKey: string): string {
  return `_staging/onboarding-calls/unnamed/${hash("sha256", playbookKey).slice(0, 32)}/`;
}
