/** Every rule by its name: in flags, in the file of settings and in the table `alerts`. */
const RULE_NAMES = ["max-age", "failed-links", "open-quarantine", "run-missing", "run-longer-than"] as const;

export type RuleName = (typeof RULE_NAMES)[number];

/** What alerts are judged by; a rule that is left out is not judged. Durations are in milliseconds. */
export interface AlertRules {
  readonly "max-age"?: number | undefined;
  readonly "failed-links"?: number | undefined;
  readonly "open-quarantine"?: number | undefined;
  readonly "run-missing"?: boolean | undefined;
  readonly "run-longer-than"?: number | undefined;
}

/** The rules that are judged. */
export function judgedRules(rules: AlertRules): RuleName[] {
  return RULE_NAMES.filter((name) => rules[name] !== undefined && rules[name] !== false);
}

/** Rules in which those of `over` override the first ones. */
export function mergedRules(rules: AlertRules, over: AlertRules): AlertRules {
  const given = Object.entries(over).filter(([, value]) => value !== undefined);
  return { ...rules, ...Object.fromEntries(given) };
}

/** Where alerts are delivered. The address of a chat tool's webhook is a secret, and a command may hold one. */
export interface AlertTargets {
  /** A shell command that gets one JSON line on its standard input. */
  readonly command?: string | undefined;
  /** An `http:` or `https:` address. */
  readonly webhook?: string | undefined;
}

export const TARGETS = ["command", "webhook"] as const;

export type AlertTarget = (typeof TARGETS)[number];

/** The rules that a worker judges after each run, and where it sends alerts. */
export interface AlertSettings {
  readonly rules: AlertRules;
  readonly targets: AlertTargets;
}

/** Whether a text is an address that a webhook can be sent to. */
export function isWebhookAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}
