import type { IncomingHttpHeaders } from "node:http";
import type { Client } from "@temporalio/client";
import type { ApiClient } from "../api/http/client.js";
import { AuthError, isRefusal } from "../api/http/errors.js";
import { validateSession } from "../api/operations/onboarding.js";
import type { Session } from "../api/schemas/onboarding.js";
import { jsonObjectOf } from "../domain/json/value.js";
import { VALIDATED } from "../domain/onboarding/messages.js";
import { saidIn } from "../domain/onboarding/verdict.js";
import { eventFacts } from "../domain/webhooks/event-facts.js";
import { customerMessage } from "../domain/webhooks/messages.js";
import { isOfMode, type ReceiverMode, type Refusal } from "../domain/webhooks/rejection.js";
import type { SealedStore } from "../lake/store/sealed-store.js";
import { stagedEventName, stageEvent } from "../lake/webhooks/staged-events.js";
import type { RequestCounts } from "./counts.js";
import { type CustomerNotice, type EventNotice, inTime } from "./notices.js";
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
 * Accepts one webhook: stages it durably, then tells the customer's row, or else the table's workflow, then the sender gets
 * its 2xx. After a crash in between, the sender's repetition or the next scan of the staging area does the rest.
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
  const matched = event !== null && (await customers.tell(facts, event));
  const receipt = { name: stagedEventName(messageId), matched };
  // It is staged, so the table's workflow may be told later.
  if (event !== null && facts.playbookKey !== null) notice.tellSoon(receipt);
  else await notice.tell(receipt);
  counts.countTaken({ repeated: !isNew, matched, unknown: facts.known === null });
  return undefined;
}

const VALIDATE_WITHIN_MS = 10_000;

export interface SessionIntakeParts {
  readonly api: ApiClient;
  readonly client: Client;
  readonly customers: CustomerNotice;
  readonly counts: RequestCounts;
}

/**
 * Accepts the token of a flow that a customer finished, and stores it nowhere: asks the service who it was and how it ended,
 * and tells the customer's open row.
 *
 * @returns how many customers waited for it, or why it is refused
 * @throws Error where Temporal or the service can't be reached: the token may be sent again.
 */
export async function takeSession(
  { api, client, customers, counts }: SessionIntakeParts,
  body: string,
): Promise<{ readonly matched: number } | Refusal> {
  const validation_token = tokenOf(body);
  if (validation_token === undefined) return "body";
  // A token may be valid only once, so it must not be spent while Temporal can't be reached.
  await inTime(client, () => client.workflowService.getSystemInfo({}));
  const signal = AbortSignal.timeout(VALIDATE_WITHIN_MS);
  let session: Session;
  try {
    session = await api.read(validateSession, { body: { validation_token } }, { signal });
  } catch (error) {
    // A 401 is about the token where the service accepts the key otherwise.
    if (isRefusal(error) || (error instanceof AuthError && !(await api.isKeyRefused({ signal }))))
      return "session";
    throw error;
  }
  const parts = [session.user, session.business].filter((part) => part != null);
  const matched = await Promise.all(
    parts.map(async (part) => {
      const { fp_id, external_id, playbook_key, onboarding_id: onboardingId } = part;
      const of = { messageId: null, kind: VALIDATED, onboardingId, playbookVersion: null, at: null } as const;
      const subject = { fpId: fp_id, externalId: external_id ?? null, playbookKey: playbook_key };
      const tell = () => customers.tell(subject, { ...of, ...saidIn(part) });
      // Again, as only the holder of the token could repeat this.
      return tell().catch(tell).catch(tell);
    }),
  );
  counts.countValidated();
  return { matched: matched.filter(Boolean).length };
}

function tokenOf(body: string): string | undefined {
  const token = jsonObjectOf(body)?.validation_token;
  return typeof token === "string" && token.trim() !== "" ? token : undefined;
}
