import { BANK_LINK_UPDATED } from "../service/event-kind.js";
import type { SyncOptions } from "../sync/job.js";
import type { EventFacts } from "./event-facts.js";

interface PlannedEvent {
  readonly name: string;
  readonly messageId: string;
  readonly facts: EventFacts;
}

/**
 * Whether a customer took these events, by message id. Customers of an event without a playbook are found only with the
 * lake.
 */
export function toldByReceivers(
  events: readonly PlannedEvent[],
  receipts: ReadonlyMap<string, boolean>,
): Map<string, boolean> {
  const told = new Map<string, boolean>();
  for (const { name, messageId, facts } of events) {
    const receipt = receipts.get(name);
    if (receipt !== undefined && facts.playbookKey !== null) told.set(messageId, receipt);
  }
  return told;
}

/** `known` is in the table, and customers know of `told`. */
export function planEvents<E extends PlannedEvent>(
  events: readonly E[],
  known: ReadonlySet<string>,
  told: ReadonlyMap<string, boolean>,
) {
  const fresh = events.filter(({ messageId }) => !known.has(messageId));
  const followUps = fresh.flatMap(({ name, facts: { known: kind, fpId, bankLinkId } }) =>
    kind === BANK_LINK_UPDATED && fpId !== null ? [{ name, fpId, bankLinkId }] : [],
  );
  return { fresh, untold: fresh.filter(({ messageId }) => !told.has(messageId)), followUps };
}

/** Null for an event that did not name the link. */
export interface FollowUp {
  readonly fpId: string;
  readonly bankLinkId: string | null;
}

/**
 * The next run reads named links only, or every link of users with an event that named none. The oldest follow-up
 * decides, so that none waits for ever.
 */
export function followUpJob<F extends FollowUp>(followUps: readonly F[], streams: readonly string[]) {
  const whole = new Set(followUps.filter(({ bankLinkId }) => bankLinkId === null).map(({ fpId }) => fpId));
  const [oldest] = followUps;
  const isWhole = oldest !== undefined && whole.has(oldest.fpId);
  const taken = followUps.filter(({ fpId }) => whole.has(fpId) === isWhole);
  const links = taken.map(({ bankLinkId }) => bankLinkId).filter((link) => link !== null);
  const users = [...new Set(taken.map(({ fpId }) => fpId))].sort();
  const only = isWhole ? null : [...new Set(links)].sort();
  const options: SyncOptions = { streams, links: only, full: false, pageSize: 500 };
  return { taken, users, options };
}
