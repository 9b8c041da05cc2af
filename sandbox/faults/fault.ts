import type { HowAListMoves } from "../world/world.js";

/** Which calls a fault meets, and when it fires among them. */
interface FaultSelector {
  /** Name of the operation, such as `sync_transactions`; of faults of webhooks: the event's kind. */
  operation?: string;
  link?: string;
  /** `fp_id` of the user; of webhooks too. */
  user?: string;
  /** `fp_bid` of the business. */
  business?: string;
  /** Page index within an update, from 0; of the lists: `page` − 1. */
  page?: number;
  /** Only calls with (`true`) or without (`false`) a cursor. */
  cursor?: boolean;
  /** Only the n-th call that it meets, from 1. */
  nth?: number;
  /** Only every n-th call that it meets. */
  every?: number;
  /** Not the first n calls that it meets. */
  after?: number;
  /** At most so many times. */
  times?: number;
  /** With this probability, seeded by `seed` (default 1). */
  probability?: number;
  seed?: number;
}

/** How long `Retry-After` asks to wait: seconds, an HTTP date so many seconds ahead, or a raw text. */
export type RetryAfter = number | { dateInSeconds: number } | { raw: string };

/** What happens instead of, or with, the answer. */
type FaultEffect =
  | { kind: "latency"; ms: number }
  /** With `afterEffect`, here and below, the call takes effect all the same: only its answer is lost. */
  | { kind: "status"; status: number; retryAfter?: RetryAfter; body?: string; afterEffect?: boolean }
  | { kind: "hang"; afterEffect?: boolean }
  /** With `afterBytes` the call takes effect, and its answer is torn after so many bytes. */
  | { kind: "reset"; afterBytes?: number; afterEffect?: boolean }
  /** `length`: content-length too large; `chunked`: the last chunk is missing; `body`: a cut body, framed as if whole. */
  | { kind: "truncated"; mode?: "length" | "chunked" | "body" }
  | { kind: "slow"; chunkBytes?: number; intervalMs?: number }
  | { kind: "wrong_body"; status?: number; contentType?: string; body?: string }
  /** The log changed while it was read: the rest of this update's cursors are refused. */
  | { kind: "log_changed"; status?: number }
  /** Every cursor given out so far for the link is refused, now and later. */
  | { kind: "cursor_refused"; status?: number }
  /** `has_more` true with a `next` that leads nowhere. */
  | { kind: "loop"; next?: "missing" | "same" | "empty" | "null" }
  /** The last page of an update without a usable `next`, or with the one that was sent. */
  | { kind: "no_cursor"; next?: "missing" | "same" | "empty" | "null" }
  | { kind: "not_ready"; next?: "missing" | "empty" | "null" }
  /** A `size` above `above` (default 0: any) is refused. */
  | { kind: "size_refused"; above?: number; status?: number }
  /** A page with empty lists, `has_more` true and a good `next`. */
  | { kind: "empty_page" }
  /** An update that does not end: where it would, one more row comes, and `has_more` is true. */
  | { kind: "endless" }
  /** The next cursor leads to the same `transactions` again. */
  | { kind: "page_replayed" }
  /** The link is listed but every call about it is answered 404. */
  | { kind: "link_gone" }
  /** The client token has expired before its time. */
  | { kind: "token_expired" }
  /** A paged list changes before this page of it is read: a row goes in, or out, at its beginning. */
  | { kind: "list_moves"; how?: HowAListMoves }
  /** A paged list gives the rows of the page before, under the number that was asked for. */
  | { kind: "page_repeated" }
  /** `meta.next_page` names its own page. */
  | { kind: "next_page_loop" }
  /** Only the first `rows` of an import take effect; then `status`, or 500. */
  | { kind: "partial_import"; rows: number; status?: number }
  /** A webhook that is never sent. */
  | { kind: "webhook_lost" }
  /** A webhook that is sent once more, or `copies` times, under the same id. */
  | { kind: "webhook_repeated"; copies?: number }
  /** A webhook that is sent so many milliseconds late. */
  | { kind: "webhook_late"; ms: number }
  /** A webhook that is held back until the next one has been sent. */
  | { kind: "webhook_reordered" }
  /** A webhook whose signature is not of its contents. */
  | { kind: "webhook_bad_signature" }
  /** A webhook whose timestamp lies so many seconds (default 600) back. */
  | { kind: "webhook_stale"; seconds?: number }
  /** A webhook of the other mode: test for live, live for test. */
  | { kind: "webhook_wrong_mode" };

export type FaultKind = FaultEffect["kind"];

/** A fault as it is set. `id` names it for taking it away; made when not given. */
export type Fault = FaultSelector & FaultEffect & { id?: string };

/** The effect of a kind. */
export type EffectOf<K extends FaultKind> = Extract<FaultEffect, { kind: K }>;

/** The fields that each kind of fault takes, for reading faults from JSON. */
export const FAULT_FIELDS: { readonly [K in FaultKind]: readonly Exclude<keyof EffectOf<K>, "kind">[] } = {
  latency: ["ms"],
  status: ["status", "retryAfter", "body", "afterEffect"],
  hang: ["afterEffect"],
  reset: ["afterBytes", "afterEffect"],
  truncated: ["mode"],
  slow: ["chunkBytes", "intervalMs"],
  wrong_body: ["status", "contentType", "body"],
  log_changed: ["status"],
  cursor_refused: ["status"],
  loop: ["next"],
  no_cursor: ["next"],
  not_ready: ["next"],
  size_refused: ["above", "status"],
  empty_page: [],
  endless: [],
  page_replayed: [],
  link_gone: [],
  token_expired: [],
  list_moves: ["how"],
  page_repeated: [],
  next_page_loop: [],
  partial_import: ["rows", "status"],
  webhook_lost: [],
  webhook_repeated: ["copies"],
  webhook_late: ["ms"],
  webhook_reordered: [],
  webhook_bad_signature: [],
  webhook_stale: ["seconds"],
  webhook_wrong_mode: [],
};

/** The number that a kind of fault can't do without. */
export const REQUIRED_NUMBER: { readonly [K in FaultKind]?: string } = {
  latency: "ms",
  status: "status",
  partial_import: "rows",
  webhook_late: "ms",
};

export const SELECTOR_FIELDS: readonly (keyof FaultSelector)[] = [
  "operation",
  "link",
  "user",
  "business",
  "page",
  "cursor",
  "nth",
  "every",
  "after",
  "times",
  "probability",
  "seed",
];
