/** Why the receiver refuses a request, with the status of its answer. 5xx: the sender should send it again later. */
export const REFUSALS = {
  /** No such path. */
  path: 404,
  /** A path that takes another method. */
  method: 405,
  /** Larger than a body may be. */
  too_large: 413,
  /** The three headers of Standard Webhooks are missing or invalid. */
  headers: 401,
  /** Signed more than five minutes away from now. */
  timestamp: 401,
  /** No signature matches a secret. */
  signature: 401,
  /** No JSON object; at `/validate`, without a token. */
  body: 400,
  /** A live event at a test receiver, or the reverse. */
  mode: 403,
  /** The service does not know the session. */
  session: 422,
  /** More requests at once than are held in memory. */
  busy: 503,
  /** The lake, Temporal or the service can't be reached. */
  unavailable: 503,
} as const;
export type Refusal = keyof typeof REFUSALS;

export type ReceiverMode = "test" | "live";

/** Whether an event is of the receiver's mode; an event without a mode is accepted. */
export function isOfMode(mode: ReceiverMode, isLive: boolean | null): boolean {
  return isLive === null || isLive === (mode === "live");
}
