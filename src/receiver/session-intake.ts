import type { Client } from "@temporalio/client";
import type { ApiClient } from "../api/http/client.js";
import { NotFoundError, RejectedError } from "../api/http/errors.js";
import { validateSession } from "../api/operations/onboarding.js";
import type { Session } from "../api/schemas/onboarding.js";
import { jsonObjectOf } from "../domain/json/value.js";
import type { SessionValidated } from "../domain/onboarding/messages.js";
import { saidIn } from "../domain/onboarding/verdict.js";
import type { Refusal } from "../domain/webhooks/rejection.js";
import type { NamedCustomer } from "../lake/onboarding/open-customers.js";
import type { RequestCounts } from "./counts.js";
import type { CustomerNotice } from "./customer-notice.js";
import { inTime } from "./in-time.js";

const VALIDATE_WITHIN_MS = 10_000;
const SIGNAL_ATTEMPTS = 3;

export interface SessionIntakeParts {
  readonly api: ApiClient;
  readonly client: Client;
  readonly customers: CustomerNotice;
  readonly counts: RequestCounts;
}

/**
 * Accepts the token of a flow that a customer finished: asks the service who it was and how it ended, and tells the
 * customer's open row. The token is kept nowhere.
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
    if (error instanceof RejectedError || error instanceof NotFoundError) return "session";
    throw error;
  }
  const parts = [session.user, session.business].filter((part) => part != null);
  const matched = await Promise.all(
    parts.map(async (part) => {
      const { fp_id, external_id, playbook_key, onboarding_id: onboardingId } = part;
      const session: SessionValidated = { ...saidIn(part), onboardingId };
      const subject = { fpId: fp_id, externalId: external_id ?? null, playbookKey: playbook_key };
      return tell(customers, subject, session);
    }),
  );
  counts.countValidated();
  return { matched: matched.filter(Boolean).length };
}

/** Tries harder than for an event: only the holder of the token could repeat this. */
async function tell(
  customers: CustomerNotice,
  subject: NamedCustomer,
  session: SessionValidated,
): Promise<boolean> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await customers.tell(subject, { session });
    } catch (error) {
      if (attempt === SIGNAL_ATTEMPTS) throw error;
    }
  }
}

function tokenOf(body: string): string | undefined {
  const token = jsonObjectOf(body)?.validation_token;
  return typeof token === "string" && token.trim() !== "" ? token : undefined;
}
