import type { IncomingHttpHeaders } from "node:http";
import { isJsonObject } from "../../domain/json/value.js";
import type { Operation } from "../operations/operation.js";

/** Statuses that come with an empty object where all was carried out: the contract shows no status of success. */
const CARRIED_OUT: readonly number[] = [200, 201, 202];

/** Whether an answer says that all was carried out: `{"errors": […]}` says something else. */
export function isNothing(body: unknown, status: number): boolean {
  return CARRIED_OUT.includes(status) && isJsonObject(body) && Object.keys(body).length === 0;
}

/** Whether an answer has no body in place of the empty object. */
export function isBare({ answers }: Operation, status: number): boolean {
  return answers === "nothing" && status === 204;
}

/** Whether the head of a 2xx answer promises what the operation answers with: by default JSON that is not encoded. */
export function isTyped(operation: Operation, status: number, headers: IncomingHttpHeaders): boolean {
  if (operation.answers === "bytes" || isBare(operation, status)) return true;
  const encoding = headers["content-encoding"];
  if (encoding !== undefined && encoding !== "identity") return false;
  return /^application\/([\w.+-]+\+)?json\s*(;|$)/i.test(headers["content-type"] ?? "");
}
