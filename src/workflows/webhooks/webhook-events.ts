import {
  ActivityFailure,
  condition,
  continueAsNew,
  defineSignal,
  proxyActivities,
  setHandler,
  sleep,
  workflowInfo,
} from "@temporalio/workflow";
import type { Activities } from "../../activities/create-activities.js";
import { EVENTS_SIGNAL, type EventReceipt } from "../../domain/webhooks/messages.js";
import { EVENTS_AT_ONCE, EVENTS_COLLECT_MS, EVENTS_COMMIT, EVENTS_PAUSE_MS } from "../policies.js";
import { runLog } from "../run-details.js";

const { commitEvents } = proxyActivities<Activities>(EVENTS_COMMIT);

/** A commit takes all staged events, and finds out itself which customers took the others. */
const MOST_RECEIPTS = 2_000;

interface WebhookEventsInput {
  readonly scope: string;
  readonly receipts?: readonly EventReceipt[];
}

/** In batches, until none is left; the next webhook starts it again. */
export async function webhookEvents({ scope, receipts: carried = [] }: WebhookEventsInput): Promise<void> {
  const receipts: EventReceipt[] = [...carried];
  setHandler(defineSignal<[readonly EventReceipt[]]>(EVENTS_SIGNAL), (more) => {
    receipts.push(...more.slice(0, Math.max(0, MOST_RECEIPTS - receipts.length)));
  });
  let more = true;
  while (more || receipts.length > 0) {
    if (workflowInfo().continueAsNewSuggested) {
      await continueAsNew<typeof webhookEvents>({ scope, receipts });
    }
    await condition(() => receipts.length >= EVENTS_AT_ONCE, EVENTS_COLLECT_MS);
    const taken = receipts.splice(0, EVENTS_AT_ONCE);
    try {
      more = (await commitEvents({ scope, receipts: taken })).more;
    } catch (error) {
      if (!(error instanceof ActivityFailure)) throw error;
      runLog.warn(
        { error: error.cause?.message },
        "webhooks could not be written into their table; they stay staged, and the next attempt follows soon",
      );
      receipts.unshift(...taken);
      await sleep(EVENTS_PAUSE_MS);
    }
  }
}
