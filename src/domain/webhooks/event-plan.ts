import { BANK_LINK_UPDATED } from "../service/event-kind.js";
import type { EventFacts } from "./event-facts.js";

interface PlannedEvent {
  readonly name: string;
  readonly messageId: string;
  readonly facts: EventFacts;
}

/**
 * Whether a customer took these events, by message id, as far as receivers say. One that names no playbook is left out: its
 * customers are found only with the lake.
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

/** Plans what to do with staged events; `known` is in the table, and of `told` the customers know. */
export function planEvents<E extends PlannedEvent>(
  events: readonly E[],
  known: ReadonlySet<string>,
  told: ReadonlyMap<string, boolean>,
) {
  const fresh = events.filter(({ messageId }) => !known.has(messageId));
  const followUps = fresh.flatMap(({ name, facts: { kind, fpId, bankLinkId } }) =>
    kind === BANK_LINK_UPDATED && fpId !== null ? [{ name, fpId, bankLinkId }] : [],
  );
  return { fresh, untold: fresh.filter(({ messageId }) => !told.has(messageId)), followUps };
}
