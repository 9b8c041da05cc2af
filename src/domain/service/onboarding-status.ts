/** docs/reference/service.md, "Onboarding statuses". */
export const ONBOARDING_STATUSES = ["pass", "fail", "incomplete", "pending", "none", "error"] as const;
export type OnboardingStatus = (typeof ONBOARDING_STATUSES)[number];

const TERMINAL: ReadonlySet<string> = new Set(["pass", "fail", "none", "error"]);

const KNOWN: ReadonlySet<string> = new Set(ONBOARDING_STATUSES);

/** Whether a status is final. */
export function isDecision(status: string | null): boolean {
  return status !== null && TERMINAL.has(status);
}

export function isKnownStatus(status: string): boolean {
  return KNOWN.has(status);
}
