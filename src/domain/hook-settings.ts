export const HOOK_EVENTS = [
  "completed",
  "completed_with_failures",
  "failed",
  "cancelled",
  "recovered",
  "late",
] as const;

export type HookEvent = (typeof HOOK_EVENTS)[number];

export interface Hook {
  readonly on: readonly HookEvent[];
  /** `sync`, `nightly`, `sync nightly`; default: every job. */
  readonly jobs?: readonly string[] | undefined;
  /** A chat's is a secret. */
  readonly webhook?: string | undefined;
  /** Of a shell; may hold a secret. */
  readonly command?: string | undefined;
  /** Also of further failed runs in a row. */
  readonly every?: boolean | undefined;
}

export interface HookSettings {
  readonly hooks: readonly Hook[];
  /** A schedule without an ended run for so long is late. */
  readonly lateMs?: number | undefined;
  /** Without the last slash. */
  readonly board?: string | undefined;
  /** `whsec_` and base64: signs requests. */
  readonly secret?: string | undefined;
}

export const HOOK_WORKFLOW = "deliverHook";

/** `fetch` refuses an address with a user in it; clear text goes to this machine only. */
export function isWebhookAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, hostname } = new URL(text);
  const isHere = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
  return (protocol === "https:" || (protocol === "http:" && isHere)) && username === "" && password === "";
}

/** Paths are appended to it. */
export function isBoardAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, origin, pathname, href } = new URL(text);
  return /^https?:$/.test(protocol) && href === origin + pathname;
}
