/** With the status of the answer. */
export const REFUSALS = {
  path: 404,
  method: 405,
  too_large: 413,
  /** Those of Standard Webhooks. */
  headers: 401,
  /** Signed more than five minutes away from now. */
  timestamp: 401,
  signature: 401,
  /** No JSON object; at `/validate`, without a token. */
  body: 400,
  /** A live event at a test receiver, or the reverse. */
  mode: 403,
  /** The service does not know the session. */
  session: 422,
  /** More than are held in memory. */
  busy: 503,
  /** The lake, Temporal or the service can't be reached. */
  unavailable: 503,
} as const;
export type Refusal = keyof typeof REFUSALS;

export type ReceiverMode = "test" | "live";

/** An event without a mode is accepted. */
export function isOfMode(mode: ReceiverMode, isLive: boolean | null): boolean {
  return isLive === null || isLive === (mode === "live");
}
