import type { MadeCall } from "../../domain/service/pace/call-pace.js";
import { ApiError } from "./errors.js";
import type { Reply } from "./exchange.js";

/** Makes a call and tells of it once it has ended. @param askedAt when its turn was asked for, by `performance.now()` */
export async function toldCall(
  tell: ((call: MadeCall) => void) | undefined,
  operation: string,
  askedAt: number,
  send: () => Promise<Reply>,
): Promise<Reply> {
  if (tell === undefined) return send();
  const sentAt = performance.now();
  const ended = (status: string, bytes = 0) => {
    const [seconds, waitedSeconds] = [(performance.now() - sentAt) / 1_000, (sentAt - askedAt) / 1_000];
    tell({ operation, status, seconds, waitedSeconds, bytes });
  };
  try {
    const reply = await send();
    ended(String(reply.status), reply.bytes);
    return reply;
  } catch (error) {
    // One that was not sent is no call of the service.
    if (error instanceof ApiError && error.sent) ended(String(error.status ?? error.name));
    throw error;
  }
}
