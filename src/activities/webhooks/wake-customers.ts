import { activityInfo, Context } from "@temporalio/activity";
import { mapConcurrent } from "../../domain/concurrent-work.js";
import type { EventFacts } from "../../domain/webhooks/event-facts.js";
import { customerMessage } from "../../domain/webhooks/messages.js";
import { isAbout, onboardedCustomers } from "../../lake/onboarding/earlier-outcomes.js";
import type { NamedCustomer } from "../../lake/onboarding/open-customers.js";
import { tellFollow } from "../../temporal/onboarding/tell-follow.js";
import type { OnboardingDependencies } from "../onboarding/dependencies.js";

const FOUND_AT_ONCE = 8;

export interface ReceivedEvent {
  readonly messageId: string;
  readonly facts: EventFacts;
}

/**
 * Tells waiting customers of events that no receiver has told them of: because it died before it could, or because the
 * event names no playbook, so that its customers have to be found in `onboardings`. Returns ids of messages that were taken.
 */
export async function wakeCustomers(
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
  return new Set(news.map(({ event }) => event.messageId));
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
