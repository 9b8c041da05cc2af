import type { MadeCall } from "../../domain/service/made-call.js";
import type { Operation } from "../operations/operation.js";
import { newFieldsOf } from "./answer.js";
import { ApiError } from "./errors.js";
import type { Reply } from "./exchange.js";

/** Makes a call and tells of it once it has ended. @param askedAt when its turn was asked for, by `performance.now()` */
export async function toldCall(
  tell: ((call: MadeCall) => void) | undefined,
  operation: Operation,
  askedAt: number,
  send: () => Promise<Reply>,
): Promise<Reply> {
  if (tell === undefined) return send();
  const sentAt = performance.now();
  const ended = (status: string, bytes = 0, newFields: readonly string[] = []) => {
    const [seconds, waitedSeconds] = [(performance.now() - sentAt) / 1_000, (sentAt - askedAt) / 1_000];
    tell({ operation: operation.name, status, seconds, waitedSeconds, bytes, newFields });
  };
  try {
    const reply = await send();
    ended(String(reply.status), reply.bytes, newFieldsOf(operation, reply));
    return reply;
  } catch (error) {
    // One that was not sent is no call of the service.
    if (error instanceof ApiError && error.sent) ended(String(error.status ?? error.name));
    throw error;
  }
}
