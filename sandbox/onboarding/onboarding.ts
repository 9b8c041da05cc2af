import type { OnboardingStatus } from "../../src/domain/service/onboarding-status.js";

/** A run of a playbook on a user or business. */
export interface Onboarding {
  readonly id: string;
  /** `fp_id` or `fp_bid`. */
  readonly entity_id: string;
  readonly entity_external_id: string | undefined;
  readonly kind: "kyc" | "kyb";
  readonly playbook_key: string;
  readonly playbook_version: number;
  readonly timestamp: string;
  /** Prerequisite data that the playbook kept. */
  readonly data: Readonly<Record<string, unknown>>;
  status: OnboardingStatus;
  /** Whether it is still being executed. */
  running: boolean;
  settled_at?: string;
  requires_manual_review: boolean;
  reviewed_by?: string;
  output?: Readonly<Record<string, unknown>> | undefined;
  error_message?: string | undefined;
  continuation?: Continuation | undefined;
}

interface Continuation {
  readonly token: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/**
 * Whether a status is a decision that stays (docs/reference/service.md, "Onboarding statuses"): not
 * `incomplete`, not `pending`.
 */
export function isTerminal(status: OnboardingStatus): boolean {
  return status !== "incomplete" && status !== "pending";
}

/** As in docs/reference/service.md, "Onboarding result"; a continuation that has expired is left out. */
export function onboardingResult(onboarding: Onboarding, now: number): Record<string, unknown> {
  const { id, status, requires_manual_review, output, error_message, continuation } = onboarding;
  const { token, expiresAt = 0 } = continuation ?? {};
  const open = status === "incomplete" && expiresAt > now;
  const expires_at = new Date(expiresAt).toISOString();
  const link = `https://verify.example.com/continue#${token}`;
  const continue_onboarding = open ? { expires_at, link, token } : undefined;
  return { id, status, requires_manual_review, output, error_message, continue_onboarding };
}

/**
 * The payload of `service.onboarding.completed` (docs/reference/service.md, "Webhook events"), and the
 * same of `…incomplete`.
 */
export function onboardingEvent(
  event_kind: string,
  onboarding: Onboarding,
  timestamp: string,
): Record<string, unknown> {
  return {
    event_kind,
    fp_id: onboarding.entity_id,
    timestamp,
    status: onboarding.status,
    playbook_key: onboarding.playbook_key,
    playbook_version: onboarding.playbook_version,
    requires_manual_review: onboarding.requires_manual_review,
    onboarding_id: onboarding.id,
    external_id: onboarding.entity_external_id ?? null,
    onboarding_external_id: null,
  };
}
