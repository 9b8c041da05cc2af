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
  /** `sync`, `nightly`, `sync nightly`; left out: every job. */
  readonly jobs?: readonly string[] | undefined;
  /** That of a chat is a secret. */
  readonly webhook?: string | undefined;
  /** Of a shell; may hold a secret too. */
  readonly command?: string | undefined;
  /** Also of further failed runs in a row. */
  readonly every?: boolean | undefined;
}

export interface HookSettings {
  readonly hooks: readonly Hook[];
  /** A schedule is late when none of its runs has ended for so long. */
  readonly lateMs?: number | undefined;
  /** The board's address, without the last slash. */
  readonly board?: string | undefined;
  /** `whsec_` and base64, by which requests are signed. */
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
