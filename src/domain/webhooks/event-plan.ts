import { BANK_LINK_UPDATED } from "../service/event-kind.js";
import type { EventFacts } from "./event-facts.js";

interface PlannedEvent {
  readonly name: string;
  readonly messageId: string;
  readonly facts: EventFacts;
}

/**
 * Plans what to do with staged events. A receipt shows that the receiver has told the customers of an event, unless
 * the event names no playbook: then their workflows are found only with the lake. `told` is what earlier attempts of
 * the same commit have found out, by message id.
 */
export function planEvents<E extends PlannedEvent>(
  events: readonly E[],
  known: ReadonlySet<string>,
  receipts: ReadonlyMap<string, boolean>,
  told: ReadonlyMap<string, boolean>,
) {
  const fresh = events.filter(({ messageId }) => !known.has(messageId));
  // Whether a customer took them, as far as that is known.
  const matched = new Map(told);
  for (const { name, messageId, facts } of fresh) {
    const receipt = receipts.get(name);
    if (receipt !== undefined && facts.playbookKey !== null) matched.set(messageId, receipt);
  }
  const followUps = fresh.flatMap(({ name, facts: { kind, fpId, bankLinkId } }) =>
    kind === BANK_LINK_UPDATED && fpId !== null ? [{ name, fpId, bankLinkId }] : [],
  );
  return { fresh, matched, untold: fresh.filter(({ messageId }) => !matched.has(messageId)), followUps };
}
