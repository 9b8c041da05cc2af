import type { IncomingHttpHeaders } from "node:http";
import { jsonObjectOf } from "../domain/json/value.js";
import { eventFacts } from "../domain/webhooks/event-facts.js";
import { customerMessage } from "../domain/webhooks/messages.js";
import { isOfMode, type ReceiverMode, type Refusal } from "../domain/webhooks/rejection.js";
import type { SealedStore } from "../lake/store/sealed-store.js";
import { stagedEventName, stageEvent } from "../lake/webhooks/staged-events.js";
import type { RequestCounts } from "./counts.js";
import type { CustomerNotice } from "./customer-notice.js";
import type { EventNotice } from "./event-notice.js";
import type { Signatures } from "./signatures.js";

export interface EventIntakeParts {
  readonly sealed: SealedStore;
  readonly customers: CustomerNotice;
  readonly mode: ReceiverMode;
  readonly signatures: Signatures;
  readonly notice: EventNotice;
  readonly counts: RequestCounts;
}

/**
 * Accepts one webhook. It is durable in the staging area before anyone is told of it, and the customer's row, or
 * else the table's workflow, is told before the sender gets its 2xx. After a crash in between, the sender's repetition or the
 * next scan of the staging area does the rest; each step can be done twice.
 *
 * @throws Error where the lake or Temporal can't be reached: the sender must send it again.
 */
export async function takeEvent(
  { sealed, customers, mode, signatures, notice, counts }: EventIntakeParts,
  headers: IncomingHttpHeaders,
  body: string,
): Promise<Refusal | undefined> {
  const signed = signatures.check(headers, body);
  if (typeof signed === "string") return signed;
  const facts = eventFacts(jsonObjectOf(body));
  if (facts === undefined) return "body";
  if (!isOfMode(mode, facts.isLive)) return "mode";
  const { messageId } = signed;
  const isNew = await stageEvent(sealed, { messageId, receivedAt: new Date().toISOString(), body });
  const event = customerMessage(messageId, facts);
  const matched = event !== null && (await customers.tell(facts, { event }));
  const receipt = { name: stagedEventName(messageId), matched };
  // An open row would have been told; the event is staged, and the table's workflow may be told later.
  if (event !== null && facts.playbookKey !== null) notice.tellSoon(receipt);
  else await notice.tell(receipt);
  counts.countTaken({ repeated: !isNew, matched, unknown: !facts.known });
  return undefined;
}
