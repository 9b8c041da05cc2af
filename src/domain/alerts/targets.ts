import type { AlertRules } from "./rules.js";

/** Whom alerts are delivered to: an address of a chat tool's webhook is a secret, and so may a command be. */
export interface AlertTargets {
  /** A shell command that gets one JSON line on its standard input. */
  readonly command?: string | undefined;
  /** An `http:` or `https:` address. */
  readonly webhook?: string | undefined;
}

export const TARGETS = ["command", "webhook"] as const;

export type AlertTarget = (typeof TARGETS)[number];

/** What a worker judges after each run, and whom it tells. */
export interface AlertSettings {
  readonly rules: AlertRules;
  readonly targets: AlertTargets;
}

/** Whether a text is an address that a webhook can be sent to. */
export function isWebhookAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}
