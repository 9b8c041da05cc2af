import { activityInfo, Context } from "@temporalio/activity";
import { mapConcurrent } from "../../domain/concurrent-work.js";
import { type EventFacts, eventFacts } from "../../domain/webhooks/event-facts.js";
import { planEvents, toldByReceivers } from "../../domain/webhooks/event-plan.js";
import {
  customerMessage,
  type EventReceipt,
  FOLLOW_UP_SIGNAL,
  FOLLOW_UP_WORKFLOW,
  followUpWorkflowId,
} from "../../domain/webhooks/messages.js";
import { isAbout, onboardedCustomers } from "../../lake/onboarding/earlier-outcomes.js";
import type { NamedCustomer } from "../../lake/onboarding/open-customers.js";
import { appendDecided } from "../../lake/tables/append.js";
import { compactMany } from "../../lake/tables/compact.js";
import { writeRows } from "../../lake/tables/parquet-file.js";
import { webhookEvents } from "../../lake/tables/webhook-events.js";
import { knownMessages } from "../../lake/webhooks/known-messages.js";
import {
  dropStagedEvent,
  followUpNames,
  type StagedEvent,
  stagedEvent,
  stagedEvents,
  stageFollowUp,
} from "../../lake/webhooks/staged-events.js";
import { tellFollow } from "../../temporal/onboarding/open-rows.js";
import { signalOrStart } from "../../temporal/running-workflows.js";
import type { OnboardingDependencies } from "../onboarding/dependencies.js";

const MOST_EVENTS = 500;
const MOST_BYTES = 8 * 1024 * 1024;
const READ_AT_ONCE = 16;
/** After that a live receiver has reported an event. */
const RECEIPT_WITHIN_MS = 15_000;

interface CommitEventsInput {
  readonly scope: string;
  readonly receipts: readonly EventReceipt[];
}

interface Staged extends ReceivedEvent {
  readonly name: string;
  readonly event: StagedEvent;
}

/**
 * Writes all staged events into `webhook_events`, each message id once, and requests a follow-up of each changed bank link.
 * A repetition finds what was written.
 */
export async function commitEvents(deps: OnboardingDependencies, input: CommitEventsInput) {
  const receipts = new Map(input.receipts.map(({ name, matched }) => [name, matched]));
  const { events, more } = await eventsToTake(deps, receipts);
  const committed = events.length === 0 ? 0 : await append(deps, input.scope, events, receipts);
  await askFollowUp(deps, input.scope);
  for (const { name } of events) await dropStagedEvent(deps.sealed, name);
  if (committed > 0) await compactMany(deps.lake, webhookEvents, ["received_at", "message_id"]);
  return { committed, repeated: events.length - committed, more };
}

/** The oldest events, without those that a receiver may still report. */
async function eventsToTake(deps: OnboardingDependencies, receipts: ReadonlyMap<string, boolean>) {
  const staged = await stagedEvents(deps.sealed);
  const ripe = Date.now() - RECEIPT_WITHIN_MS;
  const due = staged.filter(({ name, modifiedAt }) => receipts.has(name) || modifiedAt.getTime() <= ripe);
  const events: Staged[] = [];
  let bytes = 0;
  let seen = 0;
  // Any number of unreadable events must not block the others.
  while (seen < due.length && events.length < MOST_EVENTS) {
    const some = due.slice(seen, seen + Math.min(READ_AT_ONCE, MOST_EVENTS - events.length));
    const size = some.reduce((sum, entry) => sum + entry.size, 0);
    if (bytes > 0 && bytes + size > MOST_BYTES) break;
    const read = await Promise.all(some.map(({ name }) => readEvent(deps, name)));
    const readable = read.filter((event) => event !== undefined);
    events.push(...readable);
    if (readable.length > 0) bytes += size;
    seen += some.length;
  }
  return { events, more: seen < staged.length };
}

async function readEvent(deps: OnboardingDependencies, name: string): Promise<Staged | undefined> {
  try {
    const event = await stagedEvent(deps.sealed, name);
    const facts = event && eventFacts(JSON.parse(event.body));
    return event && facts && { name, event, facts, messageId: event.messageId };
  } catch (error) {
    deps.log.warn(
      { event: name, err: error },
      "a staged webhook can't be read; it stays in the staging area",
    );
    return undefined;
  }
}

/** Returns how many events the table did not have. */
function append(
  deps: OnboardingDependencies,
  scope: string,
  events: readonly Staged[],
  receipts: ReadonlyMap<string, boolean>,
): Promise<number> {
  const messages = events.map(({ messageId, facts }) => ({ messageId, at: facts.at }));
  const matched = toldByReceivers(events, receipts);
  return appendDecided(deps.lake, webhookEvents, async () => {
    const known = await knownMessages(deps.lake, messages);
    const { fresh, untold, followUps } = planEvents(events, known, matched);
    const taken = untold.length === 0 ? new Set() : await wakeCustomers(deps, scope, untold);
    for (const { messageId } of untold) matched.set(messageId, taken.has(messageId));
    // Before the commit: once a message is in the table, nothing requests its follow-up.
    for (const followUp of followUps) await stageFollowUp(deps.sealed, followUp);
    const rows = fresh.map(({ event, facts, messageId }) =>
      eventRow(event, facts, matched.get(messageId) === true),
    );
    return { files: await writeRows(deps.lake, webhookEvents, "events", rows), result: fresh.length };
  });
}

async function askFollowUp({ sealed }: OnboardingDependencies, scope: string): Promise<void> {
  if ((await followUpNames(sealed)).length === 0) return;
  const start = {
    workflowId: followUpWorkflowId(scope),
    taskQueue: activityInfo().taskQueue,
    args: [{ scope }],
  };
  await signalOrStart(Context.current().client, FOLLOW_UP_WORKFLOW, start, FOLLOW_UP_SIGNAL);
}

export function eventRow(
  { messageId, receivedAt, body }: StagedEvent,
  facts: EventFacts,
  matched: boolean,
): Record<string, unknown> {
  return {
    message_id: messageId,
    received_at: receivedAt,
    event_kind: facts.kind,
    fp_id: facts.fpId,
    external_id: facts.externalId,
    onboarding_id: facts.onboardingId,
    playbook_key: facts.playbookKey,
    playbook_version: facts.playbookVersion,
    status: facts.status,
    requires_manual_review: facts.review,
    is_live: facts.isLive,
    event_timestamp: facts.at === null ? null : new Date(facts.at).toISOString(),
    event_timestamp_text: facts.timestamp,
    known: facts.known !== null,
    matched,
    payload: body,
  };
}

const FOUND_AT_ONCE = 8;

interface ReceivedEvent {
  readonly messageId: string;
  readonly facts: EventFacts;
}

/**
 * Tells customers of events that no receiver told them: it died, or the event names no playbook, so that they have to be
 * looked up in `onboardings`. Returns ids of messages that were taken.
 */
async function wakeCustomers(
  deps: OnboardingDependencies,
  scope: string,
  events: readonly ReceivedEvent[],
): Promise<ReadonlySet<string>> {
  const keysOf = await openCustomers(deps, events);
  const found = await mapConcurrent(FOUND_AT_ONCE, events, async ({ messageId, facts }) => {
    const event = customerMessage(messageId, facts);
    return event === null ? [] : (await keysOf(facts)).map((key) => ({ key, event }));
  });
  const news = found.flat();
  const place = { scope, taskQueue: activityInfo().taskQueue };
  if (news.length > 0) await tellFollow(Context.current().client, place, "news", news);
  return new Set(news.flatMap(({ event }) => event.messageId ?? []));
}

async function openCustomers(deps: OnboardingDependencies, events: readonly ReceivedEvent[]) {
  const direct = (facts: NamedCustomer) => deps.open.keysOf(facts);
  const vague = events.map(({ facts }) => facts).filter(({ playbookKey }) => playbookKey === null);
  if (vague.length === 0) return direct;
  const customers = await onboardedCustomers(deps.lake, vague);
  return async (facts: EventFacts): Promise<string[]> => {
    if (facts.playbookKey !== null) return direct(facts);
    const about = customers.filter((customer) => isAbout(facts, customer));
    const keys = await Promise.all(
      about.map(({ playbookKey, fpId, externalId }) => direct({ playbookKey, fpId, externalId })),
    );
    return [...new Set(keys.flat())];
  };
}
