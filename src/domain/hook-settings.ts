export const HOOK_EVENTS = [
  "completed",
  "completed_with_failures",
  "failed",
  "cancelled",
  "recovered",
  "late",
] as const;

export type HookEvent = (typeof HOOK_EVENTS)[number];

/** Who is told of which events; either a webhook or a command. */
export interface Hook {
  readonly on: readonly HookEvent[];
  /** A kind of run, a schedule, or both, as in `sync nightly`; left out: every job. */
  readonly jobs?: readonly string[] | undefined;
  /** An `https:` address without a user, or `http:` to this machine. That of a chat is a secret. */
  readonly webhook?: string | undefined;
  /** A shell command, which may hold a secret too. */
  readonly command?: string | undefined;
  /** Whether it is told of every failed run in a row, not only of the first. */
  readonly every?: boolean | undefined;
}

/** What a worker's `nightledger.yaml` says of hooks. */
export interface HookSettings {
  readonly hooks: readonly Hook[];
  /** A schedule is late when none of its runs has ended for so long; left out: none is. */
  readonly lateMs?: number | undefined;
  /** Where people open the board, without the last slash. */
  readonly board?: string | undefined;
  /** `whsec_` and base64, by which requests are signed; left out: they are not. */
  readonly secret?: string | undefined;
}

export const HOOK_WORKFLOW = "deliverHook";

/** `fetch` sends nothing to an address with a user in it; what runs say is sent in the clear to this machine only. */
export function isWebhookAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, hostname } = new URL(text);
  const isHere = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
  return (protocol === "https:" || (protocol === "http:" && isHere)) && username === "" && password === "";
}

/** A link to a page is this address and a path, so nothing may follow its own. */
export function isBoardAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, origin, pathname, href } = new URL(text);
  return /^https?:$/.test(protocol) && href === origin + pathname;
}
