/** Why the receiver does not take a request, with the status that it answers. 5xx: to be sent again later. */
export const REFUSALS = {
  /** No such path. */
  path: 404,
  /** A path that takes another method. */
  method: 405,
  /** Larger than a body may be. */
  too_large: 413,
  /** The three headers of Standard Webhooks are not there, or can't be used. */
  headers: 401,
  /** Signed more than five minutes ago, or from now. */
  timestamp: 401,
  /** No signature is of one of the secrets. */
  signature: 401,
  /** Not JSON, or without an `event_kind`; at `/validate`, without a token. */
  body: 400,
  /** A live event at a test receiver, or the reverse. */
  mode: 403,
  /** The service does not know the session. */
  session: 422,
  /** More requests at once than are held in memory. */
  busy: 503,
  /** The lake, Temporal or the service is not there. */
  unavailable: 503,
} as const;
export type Refusal = keyof typeof REFUSALS;

export type ReceiverMode = "test" | "live";

/** Whether an event is of the receiver's mode; one that does not say is taken. */
export function isOfMode(mode: ReceiverMode, isLive: boolean | null): boolean {
  return isLive === null || isLive === (mode === "live");
}
