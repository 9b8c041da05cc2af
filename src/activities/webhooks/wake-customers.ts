import { Context } from "@temporalio/activity";
import { mapConcurrent } from "../../domain/concurrent-work.js";
import { CUSTOMER_SIGNALS } from "../../domain/onboarding/messages.js";
import { customerMessage } from "../../domain/webhooks/customer-message.js";
import type { EventFacts } from "../../domain/webhooks/event-facts.js";
import { waitingWorkflows } from "../../lake/onboarding/made-businesses.js";
import { isAbout, onboardedCustomers } from "../../lake/onboarding/onboarded-customers.js";
import { signalRunning } from "../../temporal/running-workflows.js";
import type { Dependencies } from "../dependencies.js";

const SIGNALS_AT_ONCE = 8;

export interface ReceivedEvent {
  readonly messageId: string;
  readonly facts: EventFacts;
}

/**
 * Tells waiting customers of events that no receiver has told them of: because it died before it could, or because the
 * event names no playbook, so that its customers have to be found in `onboardings`. Returns ids of messages that were taken.
 */
export async function wakeCustomers(
  deps: Dependencies,
  scope: string,
  events: readonly ReceivedEvent[],
): Promise<ReadonlySet<string>> {
  const { client } = Context.current();
  const taken = new Set<string>();
  const idsOf = await workflowsOf(deps, scope, events);
  await mapConcurrent(SIGNALS_AT_ONCE, events, async ({ messageId, facts }) => {
    const message = customerMessage(messageId, facts);
    if (message === null) return;
    for (const id of await idsOf(facts)) {
      if (await signalRunning(client, id, CUSTOMER_SIGNALS.event, message)) taken.add(messageId);
    }
  });
  return taken;
}

async function workflowsOf(deps: Dependencies, scope: string, events: readonly ReceivedEvent[]) {
  const direct = (facts: Parameters<typeof waitingWorkflows>[2]) =>
    waitingWorkflows(deps.sealed, scope, facts);
  const vague = events.map(({ facts }) => facts).filter(({ playbookKey }) => playbookKey === null);
  if (vague.length === 0) return direct;
  const customers = await onboardedCustomers(deps.lake, vague);
  return async (facts: EventFacts): Promise<string[]> => {
    if (facts.playbookKey !== null) return direct(facts);
    const about = customers.filter((customer) => isAbout(facts, customer));
    const ids = await Promise.all(
      about.map(({ playbookKey, fpId, externalId }) => direct({ playbookKey, fpId, externalId })),
    );
    return [...new Set(ids.flat())];
  };
}
