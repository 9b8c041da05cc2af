import { InputError } from "../../src/domain/failures.js";
import type { Clock } from "../clock.js";
import { refuse } from "../http/answer.js";
import { seededId } from "../seeded-id.js";
import type { Onboarding } from "./onboarding.js";
import type { OnboardingStore } from "./onboarding-store.js";

/**
 * What the client SDK's callback stands for (docs/reference/service.md, "Session validation"); parts that did not
 * happen are left out.
 */
export interface NewSession {
  /** Onboardings that were finished, of the user, the business, or both. */
  onboardings?: readonly string[];
  bank_link?: { id?: string; intent_id?: string };
  user_auth?: {
    fp_id: string;
    external_id?: string;
    auth_events?: readonly { kind: string; timestamp: string }[];
  };
  /** Milliseconds for which the token is good; default: an hour. */
  ttlMs?: number;
}

/** Flows that end users finished, by the validation token that the client SDK gives out for each. */
export class SessionStore {
  readonly #sessions = new Map<string, NewSession & { expiresAt: number }>();

  constructor(
    private readonly clock: Clock,
    private readonly onboardings: OnboardingStore,
    private readonly seed: string | number,
  ) {}

  /** Ends a flow; gives its validation token. @throws InputError for an onboarding that is not there. */
  end(session: NewSession): string {
    for (const id of session.onboardings ?? []) {
      if (!this.onboardings.find(id))
        throw new InputError(`onboarding ${id} is not there: give ids of the list`);
    }
    const token = seededId("vtok_", this.seed, this.#sessions.size);
    this.#sessions.set(token, { ...session, expiresAt: this.clock.now() + (session.ttlMs ?? 3_600_000) });
    return token;
  }

  /** What a validation token stands for, as it is now. @throws Refusal 400 */
  validate(token: string): Record<string, unknown> {
    const session = this.#sessions.get(token);
    if (!session) refuse("this validation token was never given out");
    if (session.expiresAt <= this.clock.now()) refuse("this validation token has expired");
    const result: Record<string, unknown> = {};
    for (const id of session.onboardings ?? []) {
      const onboarding = this.onboardings.find(id);
      if (onboarding) result[onboarding.kind === "kyb" ? "business" : "user"] = partOf(onboarding);
    }
    if (session.bank_link) result.bank_link = session.bank_link;
    if (session.user_auth) result.user_auth = { auth_events: [], ...session.user_auth };
    return result;
  }
}

function partOf(onboarding: Onboarding): Record<string, unknown> {
  return {
    fp_id: onboarding.entity_id,
    external_id: onboarding.entity_external_id,
    onboarding_id: onboarding.id,
    playbook_key: onboarding.playbook_key,
    requires_manual_review: onboarding.requires_manual_review,
    status: onboarding.status,
  };
}
