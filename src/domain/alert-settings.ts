/** Every rule by its name: in flags, in the file of settings and in the table `alerts`. */
const RULE_NAMES = [
  "failed-run",
  "another-subject",
  "max-age",
  "failed-links",
  "open-quarantine",
  "run-missing",
  "run-longer-than",
] as const;

export type RuleName = (typeof RULE_NAMES)[number];

/** What alerts are judged by; a rule that is left out is not judged. Durations are in milliseconds. */
export interface AlertRules {
  /** Judged unless it is `false`. */
  readonly "failed-run"?: boolean | undefined;
  /** Judged, with 0, unless it is `false`. */
  readonly "another-subject"?: number | false | undefined;
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

/** The rules that are judged unless somebody turns them off. */
const ON: AlertRules = { "failed-run": true, "another-subject": 0 };

/** Rules in which those of `over` override the first ones, and these the ones that are on by default. */
export function mergedRules(rules: AlertRules, over: AlertRules): AlertRules {
  const given = Object.entries(over).filter(([, value]) => value !== undefined);
  return { ...ON, ...rules, ...Object.fromEntries(given) };
}

/** Where alerts are delivered. The address of a chat tool's webhook is a secret, and a command may hold one. */
export interface AlertTargets {
  /** A shell command that gets one JSON line on its standard input. */
  readonly command?: string | undefined;
  /** An `http:` or `https:` address without a user. */
  readonly webhook?: string | undefined;
  /** Where people open the board, without the last slash: messages link to its pages. No target itself. */
  readonly board?: string | undefined;
}

export const TARGETS = ["command", "webhook"] as const;

export type AlertTarget = (typeof TARGETS)[number];

/** The rules that a worker judges after each run, and where it sends alerts. */
export interface AlertSettings {
  readonly rules: AlertRules;
  readonly targets: AlertTargets;
}

/** Whether a text is an address that a webhook can be sent to. `fetch` sends nothing to one with a user in it. */
export function isWebhookAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return /^https?:$/.test(protocol) && username === "" && password === "";
}

/** Whether a text is an address of a board that a message may have: without a secret in it, and without a part behind the path. */
export function isBoardAddress(text: string): boolean {
  if (!isWebhookAddress(text)) return false;
  const { search, hash } = new URL(text);
  return search === "" && hash === "";
}
