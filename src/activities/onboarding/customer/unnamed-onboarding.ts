import { ApplicationFailure } from "@temporalio/activity";
import { AnotherSubjectError, factsOf } from "../../../api/http/errors.js";
import { createOnboarding } from "../../../api/operations/onboarding.js";
import type { ParamsOf } from "../../../api/operations/operation.js";
import { mapConcurrent } from "../../../domain/concurrent-work.js";
import { FAILURE_TYPES } from "../../../domain/failures.js";
import type { CustomerInput } from "../../../domain/onboarding/batch/batch-rows.js";
import { type UndecidedPost, undecidedMs } from "../../../domain/onboarding/customer/undecided-post.js";
import { playbookKeyOf } from "../../../domain/onboarding/identity.js";
import { maskedId } from "../../../domain/service/external-id.js";
import {
  type OnboardingTaker,
  takeOnboarding,
  type UnnamedPost,
  unnamedPost,
  unnamedPosts,
} from "../../../lake/onboarding/call-notes.js";
import { onboardedCustomers } from "../../../lake/onboarding/earlier-outcomes.js";
import { keptOutcome } from "../../../lake/onboarding/frozen-batch.js";
import { CallRecord, callState } from "../../calls/call-record.js";
import { ageOf, believedMissingAfter, lostCall } from "../../calls/lost-call.js";
import {
  findOnboarding,
  type LostCreation,
  type StartedOnboarding,
} from "../../calls/onboarding-resolution.js";
import type { OnboardingDependencies } from "../dependencies.js";

const READ_AT_ONCE = 8;

interface RowCall {
  readonly ref: CustomerInput;
  readonly params: ParamsOf<typeof createOnboarding>;
  readonly prefix: string;
  /** Judges an onboarding before it is kept as the row's. */
  readonly accept: (answer: StartedOnboarding) => Promise<void>;
}

/** @throws AnotherSubjectError when the lake has the onboarding as another customer's, or of another playbook */
export async function mustBeOwn(
  { sealed }: OnboardingDependencies,
  { ref: { batchId, rowKey }, params: { body } }: Pick<RowCall, "ref" | "params">,
  { id }: StartedOnboarding,
): Promise<void> {
  const { key, fp_id, external_id } = body;
  const own = { playbookKey: playbookKeyOf(key), batchId, rowKey, fp_id, external_id };
  const other = await takeOnboarding(sealed, id, own);
  if (other === undefined) return;
  const what = other.playbookKey === own.playbookKey ? "customer" : "playbook";
  const nameOf = (one: OnboardingTaker) =>
    what === "playbook" ? one.playbookKey : maskedId(one.fp_id ?? one.external_id ?? "");
  const field = `the ${what} of onboarding ${maskedId(id)}`;
  throw new AnotherSubjectError(factsOf(createOnboarding), {
    field,
    answered: nameOf(other),
    asked: nameOf(own),
  });
}

/** Posts a row that names no `fp_id`, with a note in the staging area until its result is known. */
export async function postUnnamed<R>(
  { sealed }: OnboardingDependencies,
  { ref: { batchId, rowKey, line, attempt }, params, prefix }: RowCall,
  post: () => Promise<R>,
): Promise<R> {
  const note = unnamedPost(sealed, { playbookKey: playbookKeyOf(params.body.key), batchId, rowKey });
  const settlesAfterMs = believedMissingAfter(createOnboarding, params);
  const outcome = { line, attempt, version: 1 };
  await note.put({ prefix, batchId, outcome, settlesAfterMs });
  try {
    return await post();
  } finally {
    if ((await callState(sealed, prefix)) !== "sent") await note.drop();
  }
}

/**
 * Runs before a row is posted by `fp_id`, because another batch may have asked for the same customer's onboarding by an
 * external id without knowing the result yet. Keeps the onboarding that came of it as the row's answer, unless another
 * outcome has it; without one, the row may be posted. Sends nothing where no batch lacks an answer.
 *
 * @throws ApplicationFailure of type TransientError while such a request may still be answered or take effect.
 */
export async function reuseUnnamed(deps: OnboardingDependencies, call: RowCall): Promise<void> {
  const { ref, params, prefix, accept } = call;
  const { key, fp_id } = params.body;
  const seen = await seenUndecided(deps, call);
  if (fp_id === undefined || seen === undefined) return;
  const record = await CallRecord.open(deps.sealed, prefix, createOnboarding.name);
  const storeTime = await record.storeTime();
  const posts = await mapConcurrent(READ_AT_ONCE, seen.posts, (post) => resultOf(deps, post, storeTime));
  if (undecidedMs(posts, storeTime - seen.at) > 0) throw undecided();
  const before = ref.before === null ? [] : [ref.before];
  const answered = posts
    .flatMap(({ onboardingId }) => onboardingId ?? [])
    .filter((id) => !before.includes(id));
  const creations = posts.flatMap(({ creation }) => creation ?? []);
  if (answered.length + creations.length === 0) return;
  const found = await findOnboarding(deps, {
    playbook: key,
    fpId: fp_id,
    creations,
    answered,
    async others(ids) {
      const subjects = ids.map((onboardingId) => ({ fpId: null, externalId: null, onboardingId }));
      const known = await onboardedCustomers(deps.lake, subjects);
      return [...before, ...known.flatMap(({ onboardingId }) => onboardingId ?? [])];
    },
    run: ref.authEpoch,
  });
  if (found === undefined) return;
  await accept(found);
  await record.keep<StartedOnboarding>(found);
}

/**
 * Returns what was undecided when the row was first about to be posted, and when that was by the store's clock; undefined
 * where nothing was. This is kept, because a batch that runs beside this one always has requests in flight, and a later
 * answer names its onboarding.
 */
async function seenUndecided(
  { sealed }: OnboardingDependencies,
  { ref: { batchId, runId }, params, prefix }: RowCall,
) {
  const noted = await unnamedPosts(sealed, { playbookKey: playbookKeyOf(params.body.key), batchId });
  const key = `${prefix}seen/${runId}`;
  const kept = sealed.kept<readonly UnnamedPost[]>(key);
  let posts = await kept.find();
  if (posts === undefined && noted.length === 0) return undefined;
  // The row's own call resolves what its own request did.
  if ((await callState(sealed, prefix)) !== "not sent") return undefined;
  if (posts === undefined) {
    const states = await mapConcurrent(READ_AT_ONCE, noted, (post) => callState(sealed, post.prefix));
    const open = noted.filter((_, at) => states[at] === "sent");
    if (open.length === 0) return undefined;
    posts = await kept.keep(open);
  }
  const entry = await sealed.stat(key);
  return { posts, at: entry?.modifiedAt.getTime() ?? 0 };
}

interface PostResult extends UndecidedPost {
  readonly onboardingId?: string;
  readonly creation?: LostCreation;
}

async function resultOf(
  deps: OnboardingDependencies,
  post: UnnamedPost,
  storeTime: number,
): Promise<PostResult> {
  const { prefix, batchId, outcome, settlesAfterMs } = post;
  const record = await CallRecord.open(deps.sealed, prefix, createOnboarding.name);
  const isOver = await keptOutcome(deps.sealed, batchId, outcome).has();
  const answer = await record.answer<StartedOnboarding>();
  const known = { settlesAfterMs, isOver, ageMs: 0 };
  if (answer !== undefined) return { ...known, state: "answered", onboardingId: answer.body.id };
  const [first] = record.earlier;
  const last = record.earlier.at(-1);
  if (first === undefined || last === undefined) return { ...known, state: "not sent" };
  const lost = lostCall(createOnboarding, first, storeTime);
  const until = lost.sentAt + (last.storedAt - first.storedAt) + settlesAfterMs;
  return { ...known, state: "sent", ageMs: ageOf(last, storeTime, deps), creation: { lost, until } };
}

function undecided(): ApplicationFailure {
  return ApplicationFailure.create({
    type: FAILURE_TYPES.transient,
    message:
      `${createOnboarding.name}: another batch asked for an onboarding of this playbook under an external id, and ` +
      "its result is not known yet. Nothing was sent; the next attempt looks for that onboarding first",
  });
}
