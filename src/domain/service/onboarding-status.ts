/** What an onboarding's status may be (SERVICE.md 2.2). */
export const ONBOARDING_STATUSES = ["pass", "fail", "incomplete", "pending", "none", "error"] as const;
export type OnboardingStatus = (typeof ONBOARDING_STATUSES)[number];
